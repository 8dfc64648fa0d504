/**
 * Applies the exercises of CONTRIBUTING.md literally to a copy of the tree. They keep every law, and change only their own files
 * and generated ones.
 *
 *   node tools/build/exercise.mjs                              each in its own copy with `npm run docs`, `npm test` and
 *                                                              `npm run check`; then all in one copy with the laws
 *   node tools/build/exercise.mjs --section "Add a setting"    this one, in its own copy
 *   node tools/build/exercise.mjs --quick                      all in one copy, which must compile: a part of `npm test`
 */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, oneOf, ownFolder, root, run } from '../harness/tool.mjs'

/** Blocks of a text: the language, the file and its text. */
const blocksOf = (text) => [...text.matchAll(/^```(\w+) (\S+)\n([^]*?)^```$/gm)]

/** The blocks of each exercise on the page, by heading. */
const exercises = Object.fromEntries(
  readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    .split(/^## /m)
    .map((text) => [text.split('\n', 1)[0], blocksOf(text)])
    .filter(([, blocks]) => blocks.length > 0),
)
/** Operations with parameters of shapes that `src` does not have, for the laws. */
const shapes = blocksOf(readFileSync(join(root, 'test/laws/shapes.md'), 'utf8'))
const { quick, section } = commandLine({ quick: false, section: Object.keys(exercises) })
oneOf('section', section, Object.keys(exercises))
const packages = join(root, 'node_modules')

/** Copies the tree; `sh` runs a line of shell in it. */
function copy() {
  const tree = ownFolder('exercise')
  const paths = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  }).split('\0')
  for (const path of paths.filter((path) => path !== '' && existsSync(join(root, path))))
    cpSync(join(root, path), join(tree, path))
  // The whole suite looks at the packages themselves; a copy of the tree that makes copies of itself has to ignore them.
  if (quick) symlinkSync(packages, join(tree, 'node_modules'))
  else cpSync(packages, join(tree, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  // The compiler and the linter are short, and spend a third of their time on memory that they give back.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '2GiB' }
  const sh = (line) => run('sh', ['-c', line], { cwd: tree, env })
  if (!quick) {
    const me = '-c user.name=x -c user.email=x@example.com'
    sh(`git init -q && git add -A && git ${me} commit -qm before`)
  }
  return { tree, sh }
}

/** A text with `-` lines replaced by the `+` lines behind them; `+` lines behind a line as it is come after it. */
const patched = (text, diff) =>
  [...diff.matchAll(/^([ -])(.*)\n((?:\+.*\n)+)/gm)].reduce((now, [, sign, line, added]) => {
    if (now.split(`${line}\n`).length !== 2)
      throw new Error(`"${line}" does not stand exactly once in it`)
    const lines = added.replaceAll(/^\+/gm, '')
    return now.replace(`${line}\n`, () => (sign === '-' ? lines : `${line}\n${lines}`))
  }, text)

/** Runs the linter, the laws and the tests that the exercises bring, for what they add alone. */
function checkLaws(sh, blocks, files) {
  const verbs = files.flatMap(
    (file) => /^src\/commands\/(.*)\/(?!noun)([\w-]+)\.ts$/.exec(file)?.slice(1).join('[ .]') ?? [],
  )
  const settings = blocks.flatMap(
    ([, , , code]) => /^\+ {2}(\w+): setting\(/m.exec(code)?.[1] ?? [],
  )
  const suites = [
    ...files.filter((file) => file.startsWith('test/')),
    'test/laws/',
    'test/simulator/rules',
    'test/architecture',
  ]
  const cases = [...verbs, ...settings, '^outcomes', 'the sources keep', 'the first lines'].join(
    '|',
  )
  // In one process, which loads the source once.
  sh(
    `node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts --maxWorkers=1 ${suites.join(' ')} -t '${cases}'`,
  )
  const code = files.filter((file) => file.endsWith('.ts')).join(' ')
  sh(
    `node node_modules/.bin/oxlint --type-aware --deny-warnings --report-unused-disable-directives ${code}`,
  )
}

/** Applies exercises to one copy and returns it with their blocks and the paths of their files. */
function apply(titles, more = []) {
  const blocks = [...titles.flatMap((title) => exercises[title]), ...more]
  const place = copy()
  for (const [, language, file, code] of blocks) {
    const path = join(place.tree, file)
    writeFileSync(path, language === 'diff' ? patched(readFileSync(path, 'utf8'), code) : code)
  }
  return { ...place, blocks, files: [...new Set(blocks.map(([, , file]) => file))] }
}

/** Checks one exercise as a person would. A changed file that is neither its own nor generated is a failure. */
function checkWhole(title) {
  const { sh, files } = apply([title])
  const changes = () => sh('git status --porcelain -uall | cut -c4-').trimEnd().split('\n')
  sh('npm run docs')
  const made = changes().filter((path) => path.startsWith('docs/'))
  // The exercises cannot be applied a second time, as that test would.
  sh(`npm test -- -t '^(?!.* as CONTRIBUTING tells)'`)
  sh('npm run check')
  const changed = changes()
  console.log(`${title}: ${changed.length} files: ${changed.join(', ')}`)
  if (changed.some((path) => ![...files, ...made].includes(path))) process.exitCode = 1
}

/** Checks all exercises together, beside operations of further shapes: they compile and, unless \`quick\`, keep the laws. */
function checkTogether() {
  const { tree, sh, blocks, files } = apply(section, shapes)
  // Tests that they do not change compile as before, but for those that are run below.
  const include = ['src', ...(quick ? files.filter((file) => file.startsWith('test/')) : ['test'])]
  const config = { extends: './tsconfig.json', include }
  writeFileSync(join(tree, 'tsconfig.exercise.json'), JSON.stringify(config))
  // The exercises change no types of packages.
  sh('node node_modules/typescript/bin/tsc -p tsconfig.exercise.json --skipLibCheck')
  if (!quick) {
    const topics = 'test/readme/topics.test.ts --update'
    sh(`node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts ${topics}`)
    checkLaws(sh, blocks, files)
  }
  console.log(`${section.join(', ')}: ${files.length} files: ${files.join(', ')}`)
}

if (!quick) for (const title of section) checkWhole(title)
if (quick || section.length > 1) checkTogether()
