# Completion for fish, of adoc-send, adoc-recv and adoc-cp. The options are those that the program's
# own --help-all has, or --help where that is all, so that both are of one version.
function __adoc_complete --argument-names program
    for line in (begin; $program --help-all; or $program --help; end 2>/dev/null \
            | string match --regex -- '^ +-.*')
        set --local short (string replace --regex --filter -- '^ +-([A-Za-z0-9])[, ].*' '$1' $line)
        set --local longs (string match --all --regex --groups-only -- \
            '(?:^ +|, )--([a-z0-9-]+)' $line)
        set --local value (string replace --regex --filter -- \
            '^ +(?:-\S, )?-\S+ ([A-Z]\S*).*' '$1' $line)
        set --local text (string replace --regex --filter -- '^ +-.*?\S {2,}(\S.*)' '$1' $line)
        # Some of adoc-cp have no long name.
        test -n "$longs"; or set longs ""
        for long in $longs
            set --local arguments -c $program -d "$text"
            test -n "$long"; and set --append arguments -l $long
            test -n "$short"; and set --append arguments -s $short
            switch "$long$short $value"
                case 'policy *'
                    set --append arguments -x -a 'auto adoc selective fixed'
                case 'ladder *'
                    set --append arguments -x -a 'auto zlib zstd lz4'
                case 'dtype *'
                    set --local integers 'int8 int16 int32 int64 uint8 uint16 uint32 uint64'
                    set --local others 'float16 bfloat16 float32 float64 complex64 complex128'
                    set --append arguments -x -a "$integers $others"
                case 'lossy *'
                    set --append arguments -x -a 'lsb: abs: rel: snr:'
                case 'progress *'
                    set --append arguments -x -a 'auto always never'
                case 'log-level *'
                    set --append arguments -x -a 'trace debug info warn error off'
                case 'via *'
                    set --append arguments -x -a 'auto ssh direct'
                case 'save-key *'
                    set --append arguments -x -a '(__fish_print_hostnames)'
                case 'J *'
                    set --append arguments -x -a '(__fish_print_hostnames)'
                case 'S *'
                    set --append arguments -r -F
                case 'out *'
                    set --append arguments -x -a '(__fish_complete_directories)'
                case '* FILE'
                    set --append arguments -r -F
                case '* ?*'
                    set --append arguments -x
            end
            complete $arguments
        end
    end
end

# What is behind HOST:, if ssh gets in without a question.
function __adoc_remote_paths
    set --local parts (string split --max 1 : (commandline -ct))
    command ssh -o 'BatchMode yes' $parts[1] \
        command ls -dp (string unescape -- "$parts[2]" | string escape)'*' 2>/dev/null \
        | string replace --regex '^' "$parts[1]:"
end

__adoc_complete adoc-send
complete -c adoc-send -a '(__fish_print_hostnames)'
__adoc_complete adoc-recv
complete -c adoc-recv -f
__adoc_complete adoc-cp
complete -c adoc-cp -n 'not string match --quiet "*:*" (commandline -ct)' \
    -a '(__fish_print_hostnames):'
complete -c adoc-cp -n 'string match --quiet "*:*" (commandline -ct)' -f \
    -a '(__adoc_remote_paths)' -d 'over there'
