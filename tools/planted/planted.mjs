/**
 * Plants the mistakes of `mistakes.txt` into a copy of the source, one at a time, and tells which
 * test finds each: all, or those with these words in their names. `--check` only looks whether each
 * line that they replace is still there, once.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, ownFolder, refuse, root, run } from '../harness/tool.mjs'

const { words, check } = commandLine({ check: false }, true)
/** Milliseconds in which some tests have to find a mistake. */
const timeout = 300_000
const sources = readdirSync(join(root, 'src'), { recursive: true })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path))
  // Each text that a mistake replaces stands there once.
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** A pattern of code, with any white space, comments and last commas between its signs. */
function patternOf(code) {
  const signs = code.match(/\w+|[^\w\s]/g) ?? []
  const escaped = signs.map((sign) => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const spaced = escaped.map((sign, at) => (/^[)\]}]$/.test(signs[at]) ? `,?\\s*${sign}` : sign))
  return new RegExp(spaced.join('(?:\\s|//[^\\n]*|/\\*[^]*?\\*/)*'), 'g')
}

const missing = []

/** A mistake: its name, what is replaced behind `- `, and by what behind `+ `; perhaps several. */
function mistakesIn(text) {
  const mistakes = []
  for (const line of text.split('\n').filter((each) => /^[^#]/.test(each))) {
    const code = line.slice(2)
    if (line.startsWith('- '))
      mistakes.at(-1).edits.push({ file: fileOf(code), from: patternOf(code), to: '' })
    else if (line.startsWith('+')) mistakes.at(-1).edits.at(-1).to += `${code} `
    else mistakes.push({ name: line, edits: [] })
  }
  return mistakes
}

/** The one file that has this code. */
function fileOf(code) {
  const pattern = patternOf(code)
  const all = sources.flatMap(({ path, text }) => Array.from(text.matchAll(pattern), () => path))
  if (all.length !== 1) missing.push(`${all.length} times in src, not once: ${code}`)
  return all[0]
}

function copyRepository() {
  const folder = ownFolder('planted')
  // Tests start it as another user, too.
  chmodSync(folder, 0o755)
  const isLarge = (name) => ['node_modules', '.git', 'dist'].includes(name)
  for (const name of readdirSync(root).filter((name) => !isLarge(name)))
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  run(process.execPath, ['bin/build.mjs'], { cwd: folder })
  return folder
}

/** The names of the tests that fail: of the source's own folder, or else of all quick tests. */
function failuresIn(folder, path) {
  const report = join(folder, 'report.json')
  const options = [
    '--reporter=json',
    `--outputFile=${report}`,
    '--bail=3',
    '--project=!slow',
    '--testTimeout=30000',
  ]
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const ending = { cwd: folder, timeout, stdio: 'ignore' }
  const [, own] = path.replace(/\.ts$/, '').split('/')
  for (const tests of [[`test/${own}`], []]) {
    writeFileSync(report, '{"testResults":[]}')
    const { status } = spawnSync(process.execPath, [...vitest, ...options, ...tests], ending)
    const failed = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => {
      if (file.message.includes('Transform failed')) throw new Error(file.message)
      const own = file.assertionResults.filter((each) => each.status === 'failed')
      return own.map(({ fullName }) => fullName.split('\n')[0].slice(0, 120))
    })
    if (failed.length > 0) return failed
    if (status !== 0) throw new Error(`no test failed, but they ended with ${status}`)
  }
  return []
}

const text = readFileSync(join(import.meta.dirname, 'mistakes.txt'), 'utf8')
const isAsked = ({ name }) => words.every((word) => name.includes(word))
const mistakes = mistakesIn(text).filter(isAsked)
if (missing.length > 0) refuse(`fix mistakes.txt:\n  ${missing.join('\n  ')}`)
if (check) {
  console.log(`${mistakes.length} mistakes can be planted`)
  process.exit()
}
const folder = copyRepository()
let found = 0
for (const { name, edits } of mistakes) {
  // A signal that came while tests ran ends this tool here.
  await new Promise(setImmediate)
  const begun = performance.now()
  const before = new Map()
  for (const { file, from, to } of edits) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    if (!before.has(path)) before.set(path, text)
    const changed = text.replace(from, () => to)
    writeFileSync(path, changed)
  }
  // Some tests start the built program.
  run(process.execPath, ['bin/build.mjs'], { cwd: folder })
  const failed = failuresIn(folder, edits[0].file)
  if (failed.length > 0) found += 1
  const how = failed.length > 0 ? 'found    ' : 'NOT FOUND'
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log([`${how} ${name}, ${seconds} s`, ...failed.slice(0, 3)].join('\n    '))
  for (const [path, text] of before) writeFileSync(path, text)
}
console.log(`${found} of ${mistakes.length} found`)
process.exitCode = found === mistakes.length ? 0 : 1
