# What zsh completes the end of a line to, one a line: zsh_completed.zsh DIRECTORY LINE, where
# DIRECTORY has the completion functions. An interactive zsh in a terminal of its own is asked, as
# they work nowhere else: it writes down each match in the moment when that is added, and ends.
zmodload zsh/zpty
found=$(mktemp) ready=$(mktemp -u)
cat >$found.zshrc <<END
PROMPT= RPROMPT=
unsetopt beep
fpath=(${(q)1} \$fpath)
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*:files' remote-access yes
compadd() {
  local -a matches asked
  # What only asks which of its words match adds none; the words come last, behind a dash.
  asked=("\${(@)argv[1,(i)(-|--)]}")
  if (( ! \${asked[(I)-[OAD]*]} )); then
    builtin compadd -O matches "\$@"
    (( \$#matches )) && print -rl -- "\${(@)matches}" >>${(q)found}
  fi
  builtin compadd "\$@"
}
ask() { _main_complete; kill -KILL \$\$ }
zle -C ask complete-word ask
bindkey '^I' ask
END
export ZDOTDIR=$(mktemp -d)
mv $found.zshrc $ZDOTDIR/.zshrc
zpty shell zsh -d -i
zpty -w -n shell "$2"$'\t'
while zpty -r shell answer; do :; done
cat $found
rm -r $found $ZDOTDIR
