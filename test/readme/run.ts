/** Runs the blocks of a page, each section against a sandbox of its own, in a folder of its own. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { promisify, stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { furnish } from '../../src/sandbox/place.ts'
import type { Terminal } from '../../src/host.ts'
import { realHost } from '../host.ts'
import { startSandbox } from '../sandbox/watched.ts'
import { createWorld, root, type World } from '../svc.ts'
import type { Block } from './pages.ts'
import { ownFolder } from '../ending.ts'
import { keygenIn } from '../plans/plan-world.ts'

export interface Ending {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly faults?: string
  /** The file of the script's own folder to read afterwards. */
  readonly file?: string
}

/** A new folder with a workbook and the files that the blocks are. */
export function placeOf(blocks: readonly Block[]): string {
  const folder = ownFolder('page')
  const cwd = join(folder, 'page')
  mkdirSync(cwd, { mode: 0o700 })
  keygenIn(folder)
  copyFileSync(join(root, 'test/ids/fixtures/customers.xlsx'), join(cwd, 'customers.xlsx'))
  for (const { file, code } of blocks) if (file !== undefined) writeFileSync(join(cwd, file), code, { mode: 0o600 })
  return cwd
}

type Around = Awaited<ReturnType<typeof inSandbox>>

/** A sandbox in this process, and the environment that `svc sandbox exec` gives a program in that folder. */
async function inSandbox(cwd: string, faults?: string) {
  const sandbox = await startSandbox(faults === undefined ? {} : { faults })
  // Nothing of this machine's settings plays a part. Not every machine has OpenSSH.
  const given = { PATH: `${dirname(cwd)}:${process.env['PATH'] ?? ''}`, HOME: cwd, TZ: 'UTC' }
  const host = { ...realHost, env: given, self: [process.execPath, join(root, 'bin/svc.js')] as const }
  const { env } = await furnish(host, join(dirname(cwd), 'svc-sandbox-0'), sandbox)
  return { cwd, env, close: () => sandbox.close() }
}

/** Runs a script with `svc` in its path. */
export async function sh(
  script: string,
  { faults, file }: Place = {},
  cwd = placeOf([]),
): Promise<Ending & { file: string }> {
  writeFileSync(join(cwd, 'run.sh'), script)
  const around = await inSandbox(cwd, faults)
  const ended = await ending(promisify(execFile)('sh', ['-e', 'run.sh'], around))
  await around.close()
  return { ...ended, file: file === undefined ? '' : readFileSync(join(cwd, file), 'utf8') }
}

function ending(running: Promise<Omit<Ending, 'code'>>): Promise<Ending> {
  return running.then(
    (output) => ({ code: 0, ...output }),
    (error: Error & Ending) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
  )
}

export interface Shown {
  readonly command: string
  readonly output: string
}

/** The commands behind `$ ` and, behind each, what the page shows. A command that ends in a backslash has further lines. */
export function shownIn({ code }: Block): Shown[] {
  return [...code.matchAll(/^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command = '', output = '']) => ({
    command,
    output,
  }))
}

const prompt = /(?:Type [\d,]+:|\(y\/N\)) *$/
/** What stands at the end of a question, which begins with `?` and may go on in indented lines. */
const answer = /^\? (?:.*\n {2})*?.*?\b(\d+|y|n|yes|no)$/gim

/** What a terminal of 80 columns shows for each command of a section, by the block that has it. */
export async function pictures(blocks: readonly Block[]): Promise<Map<Block, string[]>> {
  const around = { ...(await inSandbox(placeOf(blocks))), svc: createWorld().svc }
  const here = process.cwd()
  // Commands of svc run in this process, and name files as they do in the page.
  process.chdir(around.cwd)
  const answers = blocks.flatMap(({ code }) => [...code.matchAll(answer)].map(([, given = '']) => given))
  const drawn = new Map<Block, string[]>()
  let code = 0
  try {
    for (const block of blocks) {
      if (block.language === 'sh') {
        const { code: failed, stderr } = await ending(promisify(execFile)('sh', ['-ec', block.code], around))
        if (failed !== 0) throw new Error(stderr)
      }
      if (block.language !== 'console') continue
      const outputs: string[] = []
      for (const { command } of shownIn(block)) {
        const screen = new Screen(answers)
        // A deadline of 1ms passes while a program starts; here it may be done by then.
        code = /^svc (?!sandbox |.*--deadline)[^$~|><&;*]*$/.test(command)
          ? await runHere(command, screen, around)
          : await runThere(`(exit ${code}); ${command}`, screen, around)
        outputs.push((await screen.text()).replace(/\s+$/, '\n').replace(/^\n$/, ''))
      }
      drawn.set(block, outputs)
    }
  } finally {
    process.chdir(here)
    await around.close()
  }
  return drawn
}

const size = { cols: 80, rows: 1000 }

/** A terminal at which somebody answers each question. */
class Screen {
  readonly #terminal = new xterm.Terminal({ ...size, convertEol: true, allowProposedApi: true })
  readonly #answers: string[]
  #unanswered = ''

  constructor(answers: string[]) {
    this.#answers = answers
  }

  /** Draws it, and gives what is typed then. */
  draw(data: string): string | undefined {
    this.#terminal.write(data)
    this.#unanswered += stripVTControlCharacters(data)
    if (!prompt.test(this.#unanswered)) return undefined
    this.#unanswered = ''
    return `${this.#answers.shift() ?? ''}\r`
  }

  async text(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#terminal.write('', resolve)
    })
    return linesOf(this.#terminal).join('\n')
  }
}

/** One command of svc, in this process. */
async function runHere(
  command: string,
  screen: Screen,
  { cwd, env, svc }: Around & Pick<World, 'svc'>,
): Promise<number> {
  const drawing = (typed: (keys: string) => void = () => undefined) =>
    new Writable({
      write(chunk: Buffer, _encoding, callback) {
        const keys = screen.draw(chunk.toString())
        if (keys !== undefined) typed(keys)
        callback()
      },
    })
  const terminal = (): Terminal => {
    const input = new PassThrough()
    const output = drawing((keys) => setImmediate(() => input.write(keys)))
    return { input, output, columns: size.cols, close: () => input.destroy() }
  }
  const isTerminal = { stdin: true, stdout: true, stderr: true }
  const streams = { stdout: drawing(), stderr: drawing(), terminal, isTerminal, columns: size.cols }
  const line = command.slice(4).replaceAll('\\\n', ' ')
  const { code } = await svc(line, { cwd, env: { ...env, TERM: 'xterm-256color' }, ...streams })
  return code
}

/** What only a shell can do. */
async function runThere(command: string, screen: Screen, { cwd, env }: Around): Promise<number> {
  const child = spawn('sh', ['-c', command], { ...size, cwd, env: { ...env, TERM: 'xterm-256color' } })
  child.onData((data) => {
    const keys = screen.draw(data)
    if (keys !== undefined) child.write(keys)
  })
  return new Promise((resolve) => {
    child.onExit(({ exitCode }) => resolve(exitCode))
  })
}

/** What the terminal shows; lines that it had to break are whole again. */
function linesOf(terminal: InstanceType<typeof xterm.Terminal>): string[] {
  const lines: string[] = []
  const { active } = terminal.buffer
  for (let y = 0; y < active.length; y += 1) {
    const line = active.getLine(y)
    const text = line?.translateToString(true) ?? ''
    if (line?.isWrapped === true) lines.push(`${lines.pop() ?? ''}${text}`)
    else lines.push(text)
  }
  return lines
}
