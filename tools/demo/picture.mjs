/**
 * Runs the tour (`npm run demo`), and prints a picture of it, which `npm run docs` saves as
 * `docs/tour.svg`. Lines appear one step after the other where animation is welcome; without it,
 * all of them are there. It needs no script and no font of its own.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const [columnWidth, lineHeight, margin] = [7.8, 17, 18]
/** How long a reader has for a command, and for each line of its output, in seconds. */
const [toType, toRead] = [0.5, 0.12]

/** The colors of the program, and the classes of the picture. */
const classes = { 1: 'bold', 31: 'error', 32: 'prompt', '1;34': 'caption' }

function recordTour() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { status, stdout, stderr } = spawnSync(scripts.demo, {
    shell: true,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: '', TZ: 'UTC' },
  })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  // The port of a sandbox is different at each start, and the last line is for those who played it.
  const isShown = (line) => !/127\.0\.0\.1|Your turn/.test(line)
  return stdout.trimEnd().split('\n').filter(isShown)
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const withoutColor = (line) => line.replaceAll(/\p{Cc}\[[\d;]*m/gu, '')

/** The pieces of a line, each with its class. A command has a prompt. */
function piecesOf(line) {
  const colored = line.replace(/^\$ (.*)/, '\u001B[32m$$ \u001B[39m\u001B[1m$1\u001B[22m')
  const pieces = colored.matchAll(/\p{Cc}\[([\d;]+)m(.*?)\p{Cc}\[[\d;]*m|[^\p{Cc}]+/gu)
  return Array.from(pieces, ([all, color, text]) => [classes[color] ?? 'plain', text ?? all])
}

/** A line as elements. Each begins at its column, and has the same width in every font. */
function drawn(line, row) {
  let column = 0
  return piecesOf(line)
    .map(([name, text]) => {
      const [x, width] = [column, [...text].length].map((count) => (count * columnWidth).toFixed(1))
      column += [...text].length
      const y = (row * lineHeight).toFixed(1)
      return text.trim() === ''
        ? ''
        : `<text class="${name}" x="${x}" y="${y}" textLength="${width}">${escaped(text)}</text>`
    })
    .join('')
}

/** The lines in steps: each begins with a caption or a command. */
function stepsOf(lines) {
  const steps = []
  for (const line of lines) {
    if (/^[$#] /.test(withoutColor(line))) steps.push([line])
    else steps.at(-1).push(line)
  }
  return steps
}

const lines = recordTour()
let [row, time] = [0, 0]
const groups = stepsOf(lines).map((step) => {
  // Captions are apart from what stands above them.
  if (withoutColor(step[0]).startsWith('#') && row > 0) row += 0.6
  const texts = step.map((line) => drawn(line, (row += 1)))
  const begins = time
  time += toType + step.length * toRead
  return `<g style="animation-delay:${begins.toFixed(2)}s">\n${texts.join('\n')}\n</g>`
})
const columns = Math.max(...lines.map((line) => [...withoutColor(line)].length))
const width = Math.ceil(columns * columnWidth + 2 * margin)
const height = Math.ceil((row + 0.4) * lineHeight + 2 * margin)

process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"
  width="${width}" height="${height}" role="img" aria-labelledby="title text">
<title id="title">A broken run is resumed, and each row of a table gets a receipt</title>
<desc id="text">${escaped(lines.map(withoutColor).join('\n'))}</desc>
<style>
text { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: #d1d7e0; white-space: pre }
.panel { fill: #0d1117; stroke: #6e7681 }
.bold { font-weight: bold; fill: #f0f6fc }
.caption { font-weight: bold; fill: #79b8ff }
.prompt { fill: #7ee787 } .error { fill: #ff9492 }
@media (prefers-reduced-motion: no-preference) {
  g g { animation: appear 0.3s backwards }
  @keyframes appear { from { opacity: 0 } }
}
</style>
<rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="8" class="panel"/>
<g transform="translate(${margin} ${margin - 4})" xml:space="preserve">
${groups.join('\n')}
</g>
</svg>
`)
