"""The guards: what each is for, which probe notices when it is taken away, which layer covers for it."""

from __future__ import annotations

from layers import Guard
from layers.ways import each, exec_first, files, hosts, no_srt, open_again, opened, setting, words

NO_ROOT = each(words("--reuid=", "--regid=", "--clear-groups", "--bounding-set=-all"), opened)
PRIVILEGES = each(words("--no-new-privs"), words("--inh-caps=-all"))
FILTER = words("*", "-I", "-S", "*")  # the interpreter and no_keyrings.py
NO_PID = each(words("--pid"), words("--kill-child=KILL"), words("--mount-proc"))

POLICY = [
    Guard(
        "denyRead /", "policy", "Nothing but what is named can be read.", "earlier-batch", files(denyRead=[])
    ),
    Guard("denyRead / (evals)", "policy", "evals/ holds the hidden tests.", "evals", files(denyRead=[])),
    Guard(
        "allowRead without tools/symposium",
        "policy",
        "A baseline cannot start the staged cargo-agents.",
        "staged-cargo-agents",
        files(denyRead=[]),
    ),
    Guard(
        "allowWrite",
        "policy",
        "Writes arrive in the trial's own folders only.",
        "write-elsewhere",
        files(allowWrite=["/"], denyRead=[]),
    ),
    Guard(
        "allowWrite (/tmp)",
        "policy",
        "/tmp is no way from trial to trial.",
        "write-tmp",
        files(allowWrite=["/tmp"], denyRead=[]),
    ),
    Guard(
        "allowedDomains",
        "policy",
        "The model's host is the only one.",
        "other-hosts",
        hosts("elsewhere.test"),
    ),
    Guard(
        "allowedDomains :80",
        "policy",
        "Only the port that the gateway answers for.",
        "other-ports",
        hosts(pinned=False),
    ),
    Guard(
        "strictAllowlist",
        "policy",
        "srt never asks anybody whether a host may be reached.",
        "other-hosts",
        setting(strictAllowlist=False),
        "allowedDomains: the command line has nobody to ask",
        hosts("elsewhere.test"),
    ),
    Guard(
        "denyRead <eval root>",
        "policy",
        "The deny-list form: other trials and batches.",
        "earlier-batch",
        open_again("EARLIER"),
        reads="deny-list",
    ),
    Guard(
        "denyRead <evals>",
        "policy",
        "The deny-list form: the hidden tests.",
        "evals",
        open_again("EVALS"),
        reads="deny-list",
    ),
    Guard(
        "denyRead <control folders>",
        "policy",
        "The deny-list form: the policy and the gateway's socket.",
        "control-folder",
        open_again("CONTROL"),
        reads="deny-list",
    ),
]

UIDS = [
    Guard("setpriv --reuid", "uid and modes", "Nothing runs as root.", "no-root", NO_ROOT, runner="root"),
    Guard(
        "setpriv --reuid (kernel)",
        "uid and modes",
        "Root in the sandbox is root for the kernel's settings.",
        "kernel-settings",
        NO_ROOT,
        runner="root",
    ),
    Guard(
        "setpriv --no-new-privs",
        "uid and modes",
        "No set-uid program gives a privilege back.",
        "privileges",
        PRIVILEGES,
        "seccomp: the key-ring filter sets it, and so does bubblewrap",
        each(no_srt, FILTER),
    ),
]

NAMESPACES = [
    Guard(
        "unshare --ipc",
        "namespaces",
        "System V memory is the trial's own.",
        "sysv-memory",
        words("--ipc"),
    ),
    Guard(
        "unshare --uts",
        "namespaces",
        "The machine's name is out of reach even for a trial that is root.",
        "hostname",
        each(words("--uts"), NO_ROOT),
        runner="root",
    ),
    Guard(
        "unshare --pid",
        "namespaces",
        "The runner's processes are out of sight.",
        "runners-arguments",
        NO_PID,
        "srt: bubblewrap's own PID namespace",
        no_srt,
    ),
    Guard(
        "unshare --pid (srt dies)",
        "namespaces",
        "A death in the chain is the whole trial's: srt's.",
        "srt-killed",
        NO_PID,
    ),
    Guard(
        "unshare --kill-child",
        "namespaces",
        "A death in the chain is the whole trial's: the outermost process's.",
        "outermost-killed",
        words("--kill-child=KILL"),
    ),
    Guard(
        "setpriv --pdeathsig",
        "namespaces",
        "A death in the chain is the whole trial's: the runner's.",
        "runner-killed",
        words("setpriv", "--pdeathsig", "KILL", "--"),
    ),
    Guard(
        "a first process that does not exec",
        "namespaces",
        "A change of uid clears a death signal; the shell before it keeps its own.",
        "outermost-killed",
        exec_first,
        runner="root",
    ),
    Guard(
        "unshare --pid (left behind)",
        "namespaces",
        "What a trial leaves running ends with it.",
        "nobody-killed",
        NO_PID,
        "srt: bubblewrap's own PID namespace (and process.run, which ends every descendant)",
        no_srt,
    ),
    Guard(
        "srt's network namespace",
        "namespaces",
        "No connection goes around the proxy.",
        "direct-tcp",
        no_srt,
    ),
    Guard(
        "srt's network namespace (datagrams)",
        "namespaces",
        "Nor a datagram.",
        "direct-udp",
        no_srt,
    ),
    Guard(
        "srt's /dev",
        "namespaces",
        "POSIX shared memory is the trial's own.",
        "posix-memory",
        no_srt,
    ),
]

SECCOMP = [
    Guard("no_keyrings", "seccomp", "Session keys are out of reach.", "session-keys", FILTER),
    Guard(
        "srt's filter",
        "seccomp",
        "No Unix socket can be made.",
        "path-socket",
        setting(allowAllUnixSockets=True),
    ),
    Guard(
        "srt (user namespaces)",
        "seccomp",
        "No user namespace gives privileges.",
        "user-namespaces",
        no_srt,
    ),
    Guard(
        "srt's filter (abstract sockets)",
        "seccomp",
        "The machine's abstract sockets are closed.",
        "abstract-socket",
        setting(allowAllUnixSockets=True),
        "srt's network namespace",
        no_srt,
    ),
]

LIMITED = [
    Guard("prlimit --nproc", "limits", "A fork bomb ends.", "limit-processes", words("--nproc=")),
    Guard("prlimit --nofile", "limits", "Open files end.", "limit-open-files", words("--nofile=")),
    Guard("prlimit --fsize", "limits", "A file ends.", "limit-file-size", words("--fsize=")),
    Guard("prlimit --core", "limits", "No core is dumped.", "limit-core", words("--core=")),
    Guard("prlimit --memlock", "limits", "Locked memory ends.", "limit-locked-memory", words("--memlock=")),
    Guard(
        "choom", "limits", "First to go when memory ends.", "first-to-go", words("choom", "-n", "900", "--")
    ),
]

GUARDS = [*POLICY, *UIDS, *NAMESPACES, *SECCOMP, *LIMITED]
