// One srt for many commands of one grading: reads a JSON object a line ({command, filesystem, tmp}), answers with
// {line}, the shell line that runs the command in srt's sandbox. It runs nothing itself, and has no network to give.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [library, base] = process.argv.slice(2);
const { SandboxManager } = await import(pathToFileURL(library));
await SandboxManager.initialize(JSON.parse(base));
for await (const text of createInterface({ input: process.stdin })) {
  const { command, filesystem, tmp } = JSON.parse(text);
  process.env.CLAUDE_CODE_TMPDIR = tmp;
  const line = await SandboxManager.wrapWithSandbox(command, "/bin/sh", { filesystem });
  process.stdout.write(JSON.stringify({ line }) + "\n");
}
process.exit(0);
