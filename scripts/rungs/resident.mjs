// srt's library for many commands of one grading: reads a JSON object a line ({command, config, tmp}), answers with
// {line}, the shell line that runs the command in srt's sandbox. It runs nothing itself, and has no network to give:
// without SandboxManager.initialize there is no proxy, so srt closes the network and starts nothing that leads out.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { SandboxManager } = await import(pathToFileURL(process.argv[2]));
for await (const text of createInterface({ input: process.stdin })) {
  const { command, config, tmp } = JSON.parse(text);
  process.env.CLAUDE_CODE_TMPDIR = tmp;
  const line = await SandboxManager.wrapWithSandbox(command, "/bin/sh", config);
  process.stdout.write(JSON.stringify({ line }) + "\n");
}
process.exit(0);
