/**
 * Plants mistakes into a copy of the engine of runs, one at a time, and tells which test finds each. The mistakes are in `mistakes.txt`.
 *   npm run planted                  all of them
 *   npm run planted -- receipts      those with this word in their names
 *   npm run planted -- --check       only whether each one fits the sources
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { patternOf, replaced } from '../harness/program.mjs'
import { commandLine, ownFolder, refuse, root, run } from '../harness/tool.mjs'

const { words, check } = commandLine({ check: false }, true)
/** A mistake that is not found in this time, in milliseconds, is not found. */
const timeout = 120_000
const pages = ['contacts/delete', 'contacts/merge', 'lists/add-contacts', 'tickets/assign']
/** Where mistakes are made. Each text that one replaces stands there once. */
const sources = [
  ...readdirSync(join(root, 'src/runs')).map((name) => `src/runs/${name}`),
  ...pages.map((page) => `src/commands/${page}.ts`),
  'src/http/client.ts',
].filter((path) => path.endsWith('.ts'))
/** The tests that may find them, in the order in which they are asked. */
const tests = [
  ['test/runs', ...pages.map((page) => `test/commands/${page}.test.ts`)],
  ['test/steps'],
  ['test/promises/faults/signals.test.ts', 'test/commands/transcripts.test.ts'],
]

/** A mistake is its name, what is replaced, behind `- `, and by what, behind `+ `; perhaps several of both. */
function mistakesIn(text) {
  const mistakes = []
  for (const line of text.split('\n').filter((each) => /^[^#]/.test(each))) {
    const code = line.slice(2)
    if (line.startsWith('- ')) mistakes.at(-1).edits.push({ from: code, to: '' })
    else if (line.startsWith('+')) mistakes.at(-1).edits.at(-1).to += `${code} `
    else mistakes.push({ name: line, edits: [] })
  }
  for (const { name, edits } of mistakes)
    for (const edit of edits) edit.file = fileOf(name, edit.from)
  return mistakes
}

/** Mistakes whose code is another by now. */
const misfits = []

/** The one file that has this code. */
function fileOf(name, code) {
  const found = sources.flatMap((file) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(patternOf(code)), () => file),
  )
  if (found.length !== 1) misfits.push(`${name}: "${code}" stands ${found.length} times`)
  return found[0]
}

/** A copy of the repository, built. */
function copyRepository() {
  const folder = ownFolder('planted')
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
  for (const paths of tests) {
    // The last ones start the program.
    if (paths === tests.at(-1)) run(process.execPath, ['bin/build.mjs'], { cwd: folder })
    const options = ['--reporter=json', `--outputFile=${report}`, '--bail=5']
    const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts', ...options, ...paths]
    writeFileSync(report, '')
    const { status, error } = spawnSync('npx', vitest, { cwd: folder, timeout, stdio: 'ignore' })
    if (error !== undefined) return [`${paths[0]} takes more than ${timeout / 1000} s`]
    if (status === 0) continue
    const files = JSON.parse(readFileSync(report, 'utf8')).testResults
    const failed = files.flatMap(({ assertionResults, message }) => {
      const own = assertionResults.filter((each) => each.status === 'failed')
      return own.length > 0 ? own.map(({ fullName }) => fullName) : message || []
    })
    if (failed.some((each) => each.startsWith('Transform failed')))
      throw new Error(`${paths[0]}: the mistake is no program: ${failed[0]}`)
    return failed.length > 0 ? failed : [`${paths[0]} ended with ${status}`]
  }
  return []
}

const isAsked = ({ name }) => words.every((word) => name.includes(word))
const text = readFileSync(join(import.meta.dirname, 'mistakes.txt'), 'utf8')
const mistakes = mistakesIn(text).filter(isAsked)
if (misfits.length > 0) refuse(`mend mistakes.txt:\n${misfits.join('\n')}`)
console.log(`${mistakes.length} mistakes, each of which fits the sources`)
if (check) process.exit(0)
const folder = copyRepository()
const [red] = failuresIn(folder)
if (red !== undefined) throw new Error(`without any mistake, a test fails: ${red}`)
let found = 0
for (const { name, edits } of mistakes) {
  const files = [...new Set(edits.map(({ file }) => file))]
  for (const file of files) {
    const its = edits.filter((edit) => edit.file === file)
    writeFileSync(join(folder, file), replaced(readFileSync(join(root, file), 'utf8'), its))
  }
  const failed = failuresIn(folder)
  if (failed.length > 0) found += 1
  const tellers = failed.slice(0, 3).map((test) => `\n    ${test.split('\n')[0].slice(0, 120)}`)
  console.log(`${failed.length > 0 ? 'found    ' : 'NOT FOUND'} ${name}${tellers.join('')}`)
  for (const file of files) cpSync(join(root, file), join(folder, file))
}
console.log(`${found} of ${mistakes.length} found`)
process.exitCode = found === mistakes.length ? 0 : 1
