/**
 * Plants mistakes into a copy of the engine of runs, one at a time, and tells which test finds each. The mistakes are in `mistakes.txt`.
 *   npm run planted                  all of them
 *   npm run planted -- receipts      those with this word in their names
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, ownFolder, refuse, root, run } from '../harness/tool.mjs'

const { words } = commandLine({}, true)
/** Milliseconds in which a mistake has to be found. */
const timeout = 60_000
const pages = ['contacts/delete', 'contacts/merge', 'lists/add-contacts', 'tickets/assign']
const names = ['cli/bulk', 'cli/receipts', 'http/attempt', 'http/client']
/** Where mistakes are made. Each text that one replaces stands there once. */
const sources = [
  ...readdirSync(join(root, 'src/runs')).map((name) => `src/runs/${name}`),
  ...[...names, ...pages.map((page) => `commands/${page}`)].map((name) => `src/${name}.ts`),
].filter((path) => path.endsWith('.ts'))
/** The tests that have to find them. Episodes are asked if no other test has found one. */
const tests = [
  [
    ...['test/runs', 'test/http/attempt.test.ts', 'test/http/client.test.ts'],
    ...pages.map((page) => `test/commands/${page}.test.ts`),
  ],
  ['test/steps'],
]

/**
 * A pattern of some code, however prettier breaks its lines and whatever is said of it: between two signs may be white space and
 * comments, and a comma before a bracket.
 */
function patternOf(code) {
  const signs = code.match(/\w+|[^\w\s]/g) ?? []
  const escaped = signs.map((sign) => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const spaced = escaped.map((sign, at) => (/^[)\]}]$/.test(signs[at]) ? `,?\\s*${sign}` : sign))
  return new RegExp(spaced.join('(?:\\s|//[^\\n]*|/\\*[^]*?\\*/)*'), 'g')
}

/** A mistake is its name, what is replaced, behind `- `, and by what, behind `+ `; perhaps several of both. */
function mistakesIn(text) {
  const mistakes = []
  for (const line of text.split('\n').filter((each) => /^[^#]/.test(each))) {
    const code = line.slice(2)
    if (line.startsWith('- '))
      mistakes.at(-1).edits.push({ file: fileOf(code), from: code, to: '' })
    else if (line.startsWith('+')) mistakes.at(-1).edits.at(-1).to += `${code} `
    else mistakes.push({ name: line, edits: [] })
  }
  return mistakes
}

/** The one file that has this code. */
function fileOf(code) {
  const [file, ...more] = sources.flatMap((each) =>
    Array.from(readFileSync(join(root, each), 'utf8').matchAll(patternOf(code)), () => each),
  )
  if (file === undefined || more.length > 0)
    refuse(`mend mistakes.txt: "${code}" stands ${more.length + (file ? 1 : 0)} times`)
  return file
}

/** A copy of the repository, built. */
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

/** The names of the tests that fail. */
function failuresIn(folder) {
  const report = join(folder, 'report.json')
  const options = ['--reporter=json', `--outputFile=${report}`, '--bail=3']
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const ending = { cwd: folder, timeout, stdio: 'ignore' }
  for (const paths of tests) {
    writeFileSync(report, '{"testResults":[]}')
    const { status } = spawnSync(process.execPath, [...vitest, ...options, ...paths], ending)
    const failed = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => {
      if (file.message.includes('Transform failed')) throw new Error(file.message)
      const own = file.assertionResults.filter((each) => each.status === 'failed')
      return own.map(({ fullName }) => fullName.split('\n')[0].slice(0, 120))
    })
    if (failed.length > 0) return failed
    if (status !== 0)
      throw new Error(`no test of ${paths[0]} failed, but they ended with ${status}`)
  }
  return []
}

const text = readFileSync(join(import.meta.dirname, 'mistakes.txt'), 'utf8')
const isAsked = ({ name }) => words.every((word) => name.includes(word))
const mistakes = mistakesIn(text).filter(isAsked)
const folder = copyRepository()
const [red] = failuresIn(folder)
if (red !== undefined) throw new Error(`without any mistake, a test fails: ${red}`)
let found = 0
for (const { name, edits } of mistakes) {
  const begun = performance.now()
  for (const { file, from, to } of edits) {
    const path = join(folder, file)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(patternOf(from), () => to),
    )
  }
  const failed = failuresIn(folder)
  if (failed.length > 0) found += 1
  const how = failed.length > 0 ? 'found    ' : 'NOT FOUND'
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log([`${how} ${name}, ${seconds} s`, ...failed.slice(0, 3)].join('\n    '))
  for (const { file } of edits) cpSync(join(root, file), join(folder, file))
}
console.log(`${found} of ${mistakes.length} found`)
process.exitCode = found === mistakes.length ? 0 : 1
