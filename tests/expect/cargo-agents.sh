#!/bin/sh
# A stand-in for cargo-agents that does all that agent-eval asks of it, but for what LACK names: one word for each
# capability of stage.json. It knows one client (claude), one plugin (probe) and nothing of cargo.
LACK=""

lacks() {
    case " $LACK " in *" $1 "*) return 0 ;; esac
    return 1
}

log() {
    lacks log && return
    mkdir -p "$HOME/.symposium/logs"
    echo "2026-01-01T00:00:00Z $1" >>"$HOME/.symposium/logs/symposium-1.log"
}

init() {
    lacks init && exit 1
    log " INFO symposium::init: init started"
    lacks registry && echo 'auto-sync = true' >"$HOME/.symposium/config.toml"
    mkdir -p "$HOME/.claude"
    word=cargo-agents
    lacks commands && word=symposium
    {
        for event in session-start user-prompt-submit pre-tool-use post-tool-use stop; do
            lacks events && [ $event = stop ] && continue
            echo "{\"command\": \"$word hook claude $event\"}"
        done
    } >"$HOME/.claude/settings.json"
}

trace() {
    lacks trace || echo "{\"agent\":\"claude\",\"event\":\"$1\",\"output\":{}}" >>"$SYMPOSIUM_HOOK_TRACE"
}

start() {
    log "DEBUG cargo_agents: cargo agents hook agent=Claude event=SessionStart"
    log " INFO symposium::sync: sync started workspace_deps=0 agents=1 skills=1"
    if ! lacks installs; then
        log ' INFO symposium::sync: report={"kind":"skill_installed","skill":"probe"}'
        mkdir -p .claude/skills/probe
        cp ../registry/probe/skills/probe/SKILL.md .claude/skills/probe/
        lacks marker || : >.claude/skills/probe/.symposium
    fi
    if ! lacks sync_record; then
        mkdir -p "$HOME/.symposium/cache/workspaces/project-0"
        echo '{}' >"$HOME/.symposium/cache/workspaces/project-0/state.json"
    fi
    trace SessionStart
    lacks clean_output && echo "installed skill probe"
    if lacks reload_skills; then
        echo '{}'
    else
        echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","reloadSkills":true}}'
    fi
}

stop() {
    for plugin in probe probe-relative; do
        [ -d "../registry/$plugin" ] || continue
        [ $plugin = probe ] && lacks plugin_hooks && continue
        [ $plugin = probe-relative ] && lacks relative_scripts && exit 1
        sh "../registry/$plugin/stop.sh" </dev/null
        lacks hook_exits ||
            log "DEBUG report={\"kind\":\"hook_dispatched\",\"plugin\":\"$plugin\",\"hook\":\"$plugin\",\"exit_code\":0}"
    done
    trace Stop
    echo '{}'
}

mkdir -p "$HOME/.symposium"
case "$*" in
"--version") echo "cargo-agents 9.9.9" ;;
"init --add-agent claude") init ;;
"--json plugin list")
    lacks init || lacks registry && echo '[]' && exit
    lacks manifests && echo '[{"name":"probing","plugins":[]}]' && exit
    echo '[{"name":"probing","plugins":["probe","probe-0","probe-1"]}]'
    ;;
"hook claude session-start") start ;;
"hook claude stop") stop ;;
*) exit 2 ;;
esac
