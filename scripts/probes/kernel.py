"""What the machine's kernel shares: settings, memory, keys, processes, privileges, resources."""

from __future__ import annotations

from probes import Probe

KEYS = "\"$PERL\" -e '$! = 0; syscall($ENV{KEYCTL}, 0, -3, 0); exit($!{EPERM} || $!{ENOSYS} ? 1 : 0)'"


def write_back(setting: str) -> str:
    return f"v=$(cat /proc/sys/{setting}) && echo $v > /proc/sys/{setting}"


def beyond(flag: str, limit: str, says: str) -> Probe:
    """More than the trial's limit; where the machine's own is tighter it shows nothing."""
    name = {"u": "processes", "n": "open-files", "f": "file-size", "c": "core", "l": "locked-memory"}[flag]
    script = f"bash -c 'ulimit -{flag} $(({limit} + 1))'"
    return Probe(f"limit-{name}", says, script, False, "machine")


PROBES = [
    Probe("kernel-settings", "no kernel setting can be written", write_back("vm/swappiness"), False, "root"),
    Probe("hostname", "the machine's name cannot be set", write_back("kernel/hostname"), False, "root"),
    Probe("no-root", "nothing runs as root", '[ "$(id -u)" = 0 ]', False, "root"),
    Probe(
        "mounts",
        "nothing can be mounted",
        'mkdir -p "$TMPDIR/m" && $APART mount -t tmpfs none "$TMPDIR/m"',
        False,
        "root",
        before='APART="unshare --mount"; ',
    ),
    Probe(
        "user-namespaces",
        "no user namespace can be made, which gives privileges",
        "unshare --user true",
        False,
        "machine",
    ),
    Probe(
        "privileges",
        "no privilege can come back through a set-uid program",
        'grep -q "NoNewPrivs:.*0" /proc/self/status',
        False,
        "machine",
    ),
    Probe(
        "sysv-memory",
        "the machine's shared memory (System V) is another's",
        'while read -r _ id _; do [ "$id" = "$SHMID" ] && exit 0; done < /proc/sysvipc/shm; exit 1',
        False,
        "runner",
    ),
    Probe(
        "posix-memory",
        "the machine's shared memory (POSIX) is another's",
        'cat "$SHARED_MEMORY"',
        False,
        "trial",
    ),
    Probe("session-keys", "the runner's session keys are out of reach", KEYS, False, "machine"),
    Probe(
        "runners-environment",
        "the runner's environment stays outside",
        'env | grep "^$CANARY="',
        False,
        "runner",
    ),
    Probe(
        "runners-key",
        "a key in the environment of the runner's processes is out of reach",
        'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -a "^$SECRET$"',
        False,
        "runner",
    ),
    Probe(
        "runners-arguments",
        "the arguments of the runner's processes are out of sight",
        'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -a "^$ARGUMENT$"',
        False,
        "runner",
    ),
    Probe(
        "left-behind",
        "a process that changed its session and left its parents ends with the trial",
        '(setsid sleep "$STAYS" >/dev/null 2>&1 & ) ; sleep 0.05',
        False,
        "loose",
        stays="STAYS",
    ),
    beyond("u", "$LIMIT_NPROC", "the number of processes is limited"),
    beyond("n", "$LIMIT_NOFILE", "the number of open files is limited"),
    beyond("f", "$LIMIT_FSIZE / 1024", "the size of a file is limited"),
    beyond("c", "$LIMIT_CORE", "no core is dumped"),
    beyond("l", "$LIMIT_MEMLOCK / 1024", "locked memory is limited"),
    Probe(
        "first-to-go",
        "it goes first when the machine's memory runs out",
        'n=$(cat /proc/self/oom_score_adj); echo $n; [ "$n" -lt 900 ]',
        False,
        "runner",
    ),
]
