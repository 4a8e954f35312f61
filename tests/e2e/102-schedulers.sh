#!/usr/bin/env bash
# Goal: the examples for schedulers bring a tree together: GNU parallel, a job array of Slurm on one
# node, and an Indexed Job of Kubernetes, whose manifest is checked and whose command is run.
set -euo pipefail
source "$(dirname "$0")/../support/shards.sh"

EXAMPLES=$(cd "$(dirname "$0")/../../packaging/examples" && pwd)
SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
PATH=$ADOC_BIN_DIR:$PATH
for program in parallel slurmctld slurmd sbatch munged; do
  command -v $program >/dev/null || skip "$program is not installed"
done
python3 -c 'import yaml' || skip 'python3-yaml is not installed'

cd "$T"
make_shared_tree
start_recv -q
is_whole() {
  check "$1" same_trees tree out/tree
  nothing_left_over
  empty_out
}

"$EXAMPLES/shards-parallel.sh" 5 tree "127.0.0.1:$PORT" </dev/null
is_whole 'GNU parallel'

# index K: the container's command as the one with this index.
python3 "$SUPPORT/job_manifest.py" "$EXAMPLES/shards-kubernetes.yaml" >manifest
mapfile -d '' -t MANIFEST <manifest
COUNT=${MANIFEST[0]}
ENVIRONMENT=() COMMAND=()
for ((i = 1; i < ${#MANIFEST[@]} && ${#MANIFEST[i]} > 0; ++i)); do ENVIRONMENT+=("${MANIFEST[i]}"); done
COMMAND=("${MANIFEST[@]:i+1}")
check 'an Indexed Job with a command' [ "${#COMMAND[@]}" -ge 1 ]
for ((k = 0; k < COUNT; ++k)); do
  env "${ENVIRONMENT[@]}" SOURCE=tree RECEIVER="127.0.0.1:$PORT" JOB_COMPLETION_INDEX=$k \
    "${COMMAND[@]}" 2>"$k.err" &
  pids[k]=$!
done
for ((k = 0; k < COUNT; ++k)); do wait "${pids[k]}" || fail "index $k: $(cat "$k.err")"; done
is_whole 'the command of an Indexed Job'

[[ $(id -u) == 0 ]] || skip 'a node of Slurm is root'"'"'s'
NODE=$(hostname -s)
mkdir -p slurm/{state,spool}
export SLURM_CONF=$T/slurm/slurm.conf
read -r CONTROL_PORT NODE_PORT < <(python3 - <<'PYTHON'
import socket
sockets = [socket.socket() for _ in range(2)]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))
PYTHON
)
cat >"$SLURM_CONF" <<CONFIGURATION
ClusterName=adoc
SlurmctldHost=$NODE(127.0.0.1)
SlurmctldPort=$CONTROL_PORT
SlurmdPort=$NODE_PORT
AuthType=auth/munge
AuthInfo=socket=$T/slurm/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$T/slurm/state
SlurmdSpoolDir=$T/slurm/spool
SlurmctldPidFile=$T/slurm/slurmctld.pid
SlurmdPidFile=$T/slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=0
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
NodeName=$NODE NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=$NODE Default=YES OverSubscribe=FORCE:8
CONFIGURATION
head -c 1024 /dev/urandom >slurm/key
chmod 600 slurm/key
munged --foreground --force --key-file slurm/key --socket "$T/slurm/munge" \
  --pid-file "$T/slurm/munged.pid" --log-file "$T/slurm/munged.log" \
  --seed-file "$T/slurm/seed" </dev/null >slurm/munged.err 2>&1 &
eventually test -S slurm/munge
slurmctld -D -f "$SLURM_CONF" </dev/null >slurm/slurmctld.err 2>&1 &
slurmd -D -f "$SLURM_CONF" -N "$NODE" </dev/null >slurm/slurmd.err 2>&1 &
is_idle() { [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; }
eventually is_idle
JOB=$(sbatch --parsable --array=1-4 --output="$T/slurm/task-%a.out" \
  "$EXAMPLES/shards-slurm.sbatch" "$T/tree" "127.0.0.1:$PORT")
# states: those of its tasks.
states() { scontrol -o show job "$JOB" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }
has_ended() { [[ -n $(states) ]] && ! states | grep -qE 'PENDING|RUNNING|COMPLETING|CONFIGURING'; }
eventually has_ended
[[ $(states | sort | uniq -c | tr -s ' ') == ' 4 COMPLETED' ]] ||
  fail "the array failed: $(states; cat slurm/task-*.out; tail -n 20 slurm/*.err)"
is_whole 'a job array of Slurm'
