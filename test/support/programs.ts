/** A `svc` that others start and this process answers, which must not be blocked meanwhile: a shell that asks through pipes costs a tenth of a Node of its own. */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { atEnd, ownFolder } from './ending.ts'
import { root, type Result } from './svc.ts'

interface Start {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: Buffer
}

export type Run = (start: Start) => Result | Promise<Result>

/** Writes a `svc` whose every start is answered by `run`. It is real where it starts programs of its own, or its two streams are one, in which each line has its place. */
export function writeSvc(path: string, run: Run): void {
  const folder = ownFolder('starts')
  const starts = join(folder, 'starts')
  const text = `#!/bin/sh
if [ "$1" = sandbox ] || [ /dev/fd/1 -ef /dev/fd/2 ]; then
  exec "${process.execPath}" "${join(root, 'bin/svc.js')}" "$@"
fi
start=${folder}/$$
mkfifo $start.code && exec 3<>$start.code
printf '%s\\0' "$PWD" "$@" >$start.words
env >$start.env
cat >$start.input
echo $$ >${starts}
read code <&3
cat $start.stdout
cat $start.stderr >&2
rm $start.*
exit $code
`
  writeFileSync(path, text, { mode: 0o755 })
  execFileSync('mkfifo', [starts])
  const pipe = new Socket({
    fd: openSync(starts, constants.O_RDWR | constants.O_NONBLOCK),
    writable: false,
  })
  atEnd(() => pipe.destroy())
  let rest = ''
  pipe.on('data', (chunk: Buffer) => {
    const numbers = `${rest}${chunk.toString()}`.split('\n')
    rest = numbers.pop() ?? ''
    for (const number of numbers) void answer(join(folder, number), run)
  })
}

async function answer(start: string, run: Run): Promise<void> {
  const [cwd = '', ...words] = readFileSync(`${start}.words`, 'utf8').split('\0').slice(0, -1)
  const lines = readFileSync(`${start}.env`, 'utf8').split('\n')
  const env = Object.fromEntries(
    lines.map((line) => line.split(/=(.*)/).slice(0, 2)) as [string, string][],
  )
  const refusal = (error: unknown): Result => ({
    code: 255,
    stdout: '',
    stderr: `${String(error)}\n`,
  })
  const input = readFileSync(`${start}.input`)
  const { code, ...printed } = await (async () => run({ words, cwd, env, input }))().catch(refusal)
  for (const [name, text] of Object.entries(printed)) writeFileSync(`${start}.${name}`, text)
  // Opened for both, so that nobody is waited for who was killed.
  const pipe = openSync(`${start}.code`, constants.O_RDWR)
  writeSync(pipe, `${code}\n`)
  closeSync(pipe)
}
