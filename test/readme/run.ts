/** Runs the blocks of a page, each section against a sandbox of its own, in a folder of its own. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { root } from '../svc.ts'
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

function inSandbox(cwd: string, faults?: string): [string[], Record<string, string | undefined>] {
  const words = ['sandbox', 'exec', ...(faults === undefined ? [] : ['--faults', faults]), '--', 'sh', '-e', 'run.sh']
  // Nothing of this machine's settings plays a part.
  // Not every machine has OpenSSH.
  const env = { PATH: `${dirname(cwd)}:${process.env['PATH'] ?? ''}`, HOME: cwd, TZ: 'UTC' }
  return [[join(root, 'bin/svc.js'), ...words], env]
}

/** Runs a script with `svc` in its path. */
export async function sh(
  script: string,
  { faults, file }: Place = {},
  cwd = placeOf([]),
): Promise<Ending & { file: string }> {
  writeFileSync(join(cwd, 'run.sh'), script)
  const [words, env] = inSandbox(cwd, faults)
  const ended: Ending = await promisify(execFile)(process.execPath, words, { cwd, env }).then(
    (output) => ({ code: 0, ...output }),
    (error: Error & Ending) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
  )
  return { ...ended, file: file === undefined ? '' : readFileSync(join(cwd, file), 'utf8') }
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

const mark = '@@@'
const prompt = /(?:Type [\d,]+:|\(y\/N\)) *$/
/** What stands at the end of a question, which begins with `?` and may go on in indented lines. */
const answer = /^\? (?:.*\n {2})*?.*?\b(\d+|y|n|yes|no)$/gim

/** What a terminal of 80 columns shows for each command of a section, by the block that has it. */
export async function pictures(blocks: readonly Block[]): Promise<Map<Block, string[]>> {
  const cwd = placeOf(blocks)
  const answers = blocks.flatMap(({ code }) => [...code.matchAll(answer)].map(([, given = '']) => given))
  writeFileSync(join(cwd, 'run.sh'), scriptOf(blocks))
  const parts = (await screenOf(cwd, answers)).join('\n').split(`${mark}\n`).slice(1)
  return new Map(
    blocks
      .filter(({ language }) => language === 'console')
      .map((block) => [
        block,
        shownIn(block).map(() => (parts.shift() ?? '').replace(/\s+$/, '\n').replace(/^\n$/, '')),
      ]),
  )
}

function scriptOf(blocks: readonly Block[]): string {
  const lines = ['set +e', `mark() { status=$?; printf '${mark}\\n'; return $status; }`]
  for (const block of blocks) {
    if (block.language === 'sh') lines.push(`( set -e\n${block.code} ) > sh.log 2>&1 || cat sh.log`)
    if (block.language === 'console') lines.push(...shownIn(block).flatMap(({ command }) => ['mark', command]))
  }
  return `${lines.join('\n')}\n`
}

async function screenOf(cwd: string, answers: string[]): Promise<string[]> {
  const [words, env] = inSandbox(cwd)
  const size = { cols: 80, rows: 1000 }
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true })
  const child = spawn(process.execPath, words, { ...size, cwd, env: { ...env, TERM: 'xterm-256color' } })
  // A question that nobody expects would wait forever.
  const deadline = setTimeout(() => {
    child.kill()
  }, 60_000)
  let unanswered = ''
  child.onData((data) => {
    terminal.write(data)
    unanswered += stripVTControlCharacters(data)
    if (!prompt.test(unanswered)) return
    unanswered = ''
    child.write(`${answers.shift() ?? ''}\r`)
  })
  await new Promise((resolve) => {
    child.onExit(resolve)
  })
  clearTimeout(deadline)
  await new Promise<void>((resolve) => {
    terminal.write('', resolve)
  })
  return linesOf(terminal)
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
