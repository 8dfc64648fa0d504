/**
 * Where examples are played: a sandbox of its own, a folder, commands of svc in this process, and a
 * shell for all else. Time and chance stand still.
 */
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atEnd, ownFolder } from '../ending.ts'
import type { Block } from '../pages.ts'
import { createSandboxWorld, root, type Options, type Result, type SandboxWorld } from '../svc.ts'

const chance = 0x7f3a / 0x1_0000
/** The end of each run's name. The names of two runs differ by their time. */
const nameEnding = Buffer.from('3f9a', 'hex')
const clock = fileURLToPath(new URL('clock.cjs', import.meta.url))

/** With the blocks of a page that are files. */
export async function openDesk(
  files: readonly Block[] = [],
  program?: Options['program'],
): Promise<Desk> {
  const time = { now: Date.UTC(2026, 2, 2, 12) }
  const world = await createSandboxWorld({ now: () => time.now })
  for (const { file, code, language } of files)
    if (file !== undefined && language !== 'console')
      fs.writeFileSync(join(world.folder, file), code, { mode: 0o600 })
  return new Desk(world, time, program)
}

export class Desk {
  readonly world: SandboxWorld
  readonly #time: { now: number }
  readonly #program: Options['program']
  /** Writes the `svc` of shells, once. */
  #answerShells: () => void

  constructor(world: SandboxWorld, time: { now: number }, program: Options['program']) {
    this.world = world
    this.#time = time
    this.#program = program
    const bin = join(world.folder, 'bin')
    fs.mkdirSync(bin, { mode: 0o700 })
    const here: Run = async ({ words, cwd, env, input }) =>
      (await this.#run(words, cwd, { env, stdin: input })).result
    this.#answerShells = () => writeSvc(join(bin, 'svc'), here)
  }

  /** Time passes, in milliseconds. Returns the time then. */
  wait(ms: number): number {
    return (this.#time.now += ms)
  }

  /** A command of svc, a minute after the one before. */
  svc(line: string, options: Options = {}): ReturnType<SandboxWorld['requestsOf']> {
    this.#time.now += 60_000
    return this.#run(line, this.world.folder, options)
  }

  async #run(line: string | readonly string[], cwd: string, options: Options) {
    const here = process.cwd()
    // Commands name files as they do in the example.
    process.chdir(cwd)
    try {
      return await this.world.requestsOf(line, {
        now: this.#time.now,
        random: () => chance,
        randomBytes: (size) => (size === nameEnding.length ? nameEnding : randomBytes(size)),
        by: { userName: 'ana', hostname: 'desk' },
        fast: true,
        ...(this.#program === undefined ? {} : { program: this.#program }),
        ...options,
      })
    } finally {
      process.chdir(here)
    }
  }

  /** Puts a `svc` into the folder `bin`. Most desks need none. */
  prepareShell() {
    this.#answerShells()
    this.#answerShells = () => undefined
  }

  /** A script for sh, in which this process runs `svc` too. */
  readonly sh = (script: string): Promise<Result> => {
    this.prepareShell()
    const { env, folder } = this.world
    const NOW = String((this.#time.now += 60_000))
    const given = {
      PATH: `${join(folder, 'bin')}:${env['PATH'] ?? ''}`,
      NODE_OPTIONS: `--require "${clock}"`,
      NOW,
    }
    const running = promisify(execFile)('sh', ['-c', script], {
      cwd: folder,
      env: { ...env, ...given },
    })
    running.child.stdin?.end()
    return running.then(
      (output) => ({ code: 0, ...output }),
      (error: Error & Result) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
    )
  }

  /** A text without what is another on each machine. */
  clean(text: string): string {
    return text
      .replaceAll(this.world.folder, '$HOME')
      .replaceAll(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:4010')
      .replaceAll(/( by\S* +|"by": ?")[\w.-]+@[\w.-]+/g, '$1ana@desk')
      .replaceAll(/\b\d+ ms\b/g, '12 ms')
      .replaceAll(process.versions.node, '24.0.0')
  }
}

interface Start {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: Buffer
}

type Run = (start: Start) => Result | Promise<Result>

/**
 * Writes a `svc` that others start and this process answers, which must not be blocked meanwhile: a
 * shell that asks through pipes costs a tenth of a Node of its own. Its every start is answered by
 * `run`. It is real where it starts programs of its own, or its two streams are one, in which each
 * line has its place.
 */
function writeSvc(path: string, run: Run): void {
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
  fs.writeFileSync(path, text, { mode: 0o755 })
  execFileSync('mkfifo', [starts])
  const pipe = new Socket({
    fd: fs.openSync(starts, fs.constants.O_RDWR | fs.constants.O_NONBLOCK),
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
  const [cwd = '', ...words] = fs.readFileSync(`${start}.words`, 'utf8').split('\0').slice(0, -1)
  const lines = fs.readFileSync(`${start}.env`, 'utf8').split('\n')
  const env = Object.fromEntries(
    lines.map((line) => line.split(/=(.*)/).slice(0, 2)) as [string, string][],
  )
  const refusal = (error: unknown): Result => ({
    code: 255,
    stdout: '',
    stderr: `${String(error)}\n`,
  })
  const input = fs.readFileSync(`${start}.input`)
  const { code, ...printed } = await (async () => run({ words, cwd, env, input }))().catch(refusal)
  for (const [name, text] of Object.entries(printed)) fs.writeFileSync(`${start}.${name}`, text)
  // Opened for both, so that nobody is waited for who was killed.
  const pipe = fs.openSync(`${start}.code`, fs.constants.O_RDWR)
  fs.writeSync(pipe, `${code}\n`)
  fs.closeSync(pipe)
}
