/**
 * The exercises of CONTRIBUTING.md, applied literally to a copy of the tree: what they add keeps every law, and
 * beside their files and what is generated nothing has changed.
 *
 *   node tools/build/exercise.mjs                                 each in a copy of its own, with `npm run docs`, `npm test` and `npm run check`
 *   node tools/build/exercise.mjs --section "Add a setting"       this one
 *   node tools/build/exercise.mjs --quick                         all in one copy, beside the operations of `test/laws/shapes.md`, with types, linter, their own tests and the laws, as `npm test` does it
 */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, oneOf, ownFolder, root, run } from '../harness/tool.mjs'

/** Blocks of a text: the language, the file and its text. */
const blocksOf = (text) => [...text.matchAll(/^```(\w+) (\S+)\n([^]*?)^```$/gm)]

/** Blocks of each exercise of the page, by its heading. */
const exercises = Object.fromEntries(
  readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    .split(/^## /m)
    .map((text) => [text.split('\n', 1)[0], blocksOf(text)])
    .filter(([, blocks]) => blocks.length > 0),
)
/** Operations of shapes of parameters that none of `src` has, for the laws. */
const shapes = blocksOf(readFileSync(join(root, 'test/laws/shapes.md'), 'utf8'))
const { quick, section } = commandLine({ quick: false, section: Object.keys(exercises) })
oneOf('section', section, Object.keys(exercises))
const packages = join(root, 'node_modules')

/** A copy of the tree, and what runs a line of shell in it. */
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
  sh(
    'git init -q && git add -A && git -c user.name=x -c user.email=x@example.com commit -qm before',
  )
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

/** What the laws and their own tests say of what the exercises add; then the types of everything, and the linter of what they change. */
function checkQuickly({ sh }, blocks, files) {
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
  sh('node node_modules/typescript/bin/tsc -p .')
  const code = files.filter((file) => file.endsWith('.ts')).join(' ')
  sh(
    `node node_modules/.bin/oxlint --type-aware --deny-warnings --report-unused-disable-directives ${code}`,
  )
}

/** Applies exercises to one copy and checks it; returns the files that have changed, of which those that nobody meant fail. */
function exercise(titles) {
  const place = copy()
  const { tree, sh } = place
  const blocks = [...titles.flatMap((title) => exercises[title]), ...(quick ? shapes : [])]
  for (const [, language, file, code] of blocks) {
    const path = join(tree, file)
    writeFileSync(path, language === 'diff' ? patched(readFileSync(path, 'utf8'), code) : code)
  }
  const files = [...new Set(blocks.map(([, , file]) => file))]
  const changes = () => sh('git status --porcelain -uall | cut -c4-').trimEnd().split('\n')
  const allowed = new Set(files)
  // Topics name what is registered; `npm run docs` writes them, the reference and the manual page.
  const topics = 'vitest.mjs run --config test/vitest.config.ts test/readme/topics.test.ts --update'
  sh(quick ? `node node_modules/vitest/${topics}` : 'npm run docs')
  for (const path of changes().filter((path) => path.startsWith('docs/'))) allowed.add(path)
  if (quick) checkQuickly(place, blocks, files)
  else {
    // They cannot be applied a second time, as that test would.
    sh(`npm test -- -t '^(?!.* as CONTRIBUTING tells)'`)
    sh('npm run check')
  }
  const changed = changes()
  console.log(`${titles.join(', ')}: ${changed.length} files: ${changed.join(', ')}`)
  if (changed.some((path) => !allowed.has(path))) process.exitCode = 1
}

if (quick) exercise(section)
else for (const title of section) exercise([title])
