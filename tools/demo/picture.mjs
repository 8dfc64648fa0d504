/**
 * The picture of the README: real commands in a real terminal, drawn as it stood at the end.
 *
 *   node tools/demo/picture.mjs                         writes docs/session.svg
 *   node tools/demo/picture.mjs --file other.svg     writes that file
 *
 * Ids and names are the same on every run; ages and the dates of the transcript are those of the day.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { startSandbox } from '../harness/processes.mjs'
import { bin as program, commandLine, ownFolder, root } from '../harness/tool.mjs'

const { file } = commandLine({ file: join(root, 'docs/session.svg') })
const columns = 92
const mostRows = 200

/** Runs `steps` in one terminal on a fresh sandbox; returns the terminal. */
async function session(folder) {
  const sandbox = await startSandbox([])
  try {
    writeIds(folder, sandbox.examples)
    const own = { HOME: folder, SVC_STATE_DIR: join(folder, 'state') }
    const env = {
      PATH: process.env.PATH,
      TZ: 'UTC',
      TERM: 'xterm-256color',
      ...sandbox.env,
      ...own,
    }
    const terminal = new xterm.Terminal({ cols: columns, rows: mostRows, allowProposedApi: true })
    for (const words of steps(sandbox.examples)) {
      await show(
        terminal,
        `\x1b[1;32m$\x1b[0m \x1b[1msvc ${words.map(quoted).join(' ')}\x1b[0m\r\n`,
      )
      await run(terminal, words, { cwd: folder, env })
      await show(terminal, '\r\n')
    }
    return terminal
  } finally {
    await sandbox.stop()
  }
}

function steps({ tickets }) {
  return [
    ['lists', 'list', '--limit', '4'],
    ['lists', 'members', 'VIP', '--limit', '5'],
    ['lists', 'add-contacts', 'VIP', '--file', 'ids.txt'],
    ['contacts', 'delete', '--file', 'old.txt', '--receipts', 'receipts.csv', '--yes'],
    ['tickets', 'history', tickets.album, '--limit', '4', '-q'],
  ]
}

function writeIds(folder, { contactsWithoutChats, contactsWithChats }) {
  const nobody = '64ffffffffffffffffffffff'
  const old = [...contactsWithoutChats.slice(0, 120), ...contactsWithChats.slice(0, 3), nobody]
  writeFileSync(join(folder, 'ids.txt'), `${contactsWithoutChats.slice(-150).join('\n')}\n`)
  writeFileSync(join(folder, 'old.txt'), `${old.join('\n')}\n`)
}

const quoted = (word) => (/^[\w./:-]+$/.test(word) ? word : `'${word}'`)

const show = (terminal, text) => new Promise((resolve) => terminal.write(text, resolve))

async function run(terminal, words, { cwd, env }) {
  const child = spawnTerminal(process.execPath, [program, ...words], {
    cols: columns,
    rows: mostRows,
    cwd,
    env,
  })
  let output = ''
  child.onData((data) => (output += data))
  await new Promise((resolve) => child.onExit(resolve))
  await show(terminal, output)
}

const cell = { width: 8.4, height: 19, size: 14 }
const margin = 18
const ink = '#d7dce2'
const paper = '#15191e'
/** Dark ones, then bright ones. */
const palette =
  '#2b3139 #f0716b #7bc67e #e2b86b #6cb0f2 #cf93e6 #5fc7cf #d7dce2 #6d7883 #ff938d #98dc9b #f3d08c #93c8ff #e0b1f2 #86dde4 #ffffff'.split(
    ' ',
  )

/** The used part of the screen as one SVG that needs nothing else. */
function drawing(terminal) {
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y))
  while (lines.length > 0 && lines.at(-1)?.translateToString(true) === '') lines.pop()
  const width = Math.round(columns * cell.width + 2 * margin)
  const height = lines.length * cell.height + 2 * margin
  const rows = lines.flatMap((line, y) => runs(line).map((run) => textOf(run, y)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal session with svc">
<rect width="100%" height="100%" rx="10" fill="${paper}"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${cell.size}" fill="${ink}" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`
}

/** Neighbouring cells of one style, apart at two blanks, so that each column of a table stands where it stood. */
function runs(line) {
  const found = []
  let current
  for (let x = 0; x < columns; x += 1) {
    const at = line.getCell(x)
    const text = at.getChars()
    if (at.getWidth() === 0) continue
    const style = styleOf(at)
    const blank = text === '' || text === ' '
    if (
      current !== undefined &&
      (current.style !== style || (blank && current.text.endsWith(' ')))
    ) {
      found.push(current)
      current = undefined
    }
    if (current === undefined && blank) continue
    current ??= { x, text: '', cells: 0, style }
    current.text += blank ? ' ' : text
    current.cells += at.getWidth()
  }
  if (current !== undefined) found.push(current)
  return found.map((run) => {
    const text = run.text.trimEnd()
    return { ...run, text, cells: run.cells - (run.text.length - text.length) }
  })
}

function styleOf(at) {
  const fill = at.isFgPalette() ? ` fill="${palette[at.getFgColor()]}"` : ''
  return `${fill}${at.isBold() ? ' font-weight="bold"' : ''}${at.isDim() ? ' opacity="0.65"' : ''}`
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function textOf({ x, text, cells, style }, y) {
  const left = (margin + x * cell.width).toFixed(1)
  const base = margin + y * cell.height + cell.size
  const length = (cells * cell.width).toFixed(1)
  const escaped = text.replace(/[&<>"]/g, (char) => entities[char])
  return `<text x="${left}" y="${base}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style}>${escaped}</text>`
}

writeFileSync(file, drawing(await session(ownFolder('picture'))))
