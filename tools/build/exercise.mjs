/**
 * A section of CONTRIBUTING.md, applied literally to a copy of the tree: `npm run docs`, `npm test` and `npm run check` pass there, and
 * beside the files of the section and what is generated nothing has changed.
 *
 *   node tools/build/exercise.mjs                                    "Add a verb", and everything; takes as long as the tests
 *   node tools/build/exercise.mjs --section "Add a setting"          the same with that section
 *   node tools/build/exercise.mjs --quick                            the suites that find it by walking, as `npm test` does it
 */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, ownFolder, root, run } from '../harness/tool.mjs'

const { quick, section: title } = commandLine({ quick: false, section: 'Add a verb' })
const tree = ownFolder('exercise')
const paths = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root }).split('\0')
for (const path of paths.filter((path) => path !== '' && existsSync(join(root, path))))
  cpSync(join(root, path), join(tree, path))
// The whole suite looks at the packages themselves; a copy of the tree that makes copies of itself has to ignore them.
const packages = [join(root, 'node_modules'), join(tree, 'node_modules')]
if (quick) symlinkSync(...packages)
else cpSync(...packages, { recursive: true, verbatimSymlinks: true })
const sh = (line) => run('sh', ['-c', line], { cwd: tree })
sh('git init -q && git add -A && git -c user.name=x -c user.email=x@example.com commit -qm before')

/** A text with `-` lines replaced by the `+` lines behind them; `+` lines behind a line as it is come after it. */
const patched = (text, diff) =>
  [...diff.matchAll(/^([ -])(.*)\n((?:\+.*\n)+)/gm)].reduce((now, [, sign, line, added]) => {
    if (now.split(`${line}\n`).length !== 2) throw new Error(`"${line}" does not stand exactly once in it`)
    const lines = added.replaceAll(/^\+/gm, '')
    return now.replace(`${line}\n`, () => (sign === '-' ? lines : `${line}\n${lines}`))
  }, text)

const [section = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  .split(/^(?=## )/m)
  .filter((text) => text.startsWith(`## ${title}\n`))
const blocks = [...section.matchAll(/^```(\w+) (\S+)\n([^]*?)^```$/gm)]
for (const [, language, file, code] of blocks) {
  const path = join(tree, file)
  writeFileSync(path, language === 'diff' ? patched(readFileSync(path, 'utf8'), code) : code)
}
const files = blocks.map(([, , file]) => file)
const changes = () =>
  sh('git status --porcelain -uall')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(3))
let generated = []
const vitest = 'node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts'
sh('node bin/build.mjs')
if (quick) {
  // Those that walk the tree of commands, the operations or the settings, and its own; of their cases, those about it and about all.
  const laws = ['laws/operations', 'laws/settings']
  const walking = ['commands/json', 'commands/examples', 'commands/completion', 'commands/help', ...laws]
  const suites = walking.map((name) => `test/${name}.test.ts`)
  const tests = files.filter((file) => file.startsWith('test/'))
  const [noun, verb] = files.flatMap((file) => /^src\/commands\/(.*)\/((?!noun)[\w-]+)\.ts$/.exec(file)?.slice(1) ?? [])
  const [, setting] = /^\+ {2}(\w+): setting\(/m.exec(section) ?? []
  const name = setting ?? `${noun}[ .]${verb}`
  const cases = `-t '${name}|every (?!option of)|^outcomes|the sources keep'`
  // In one process, which loads the source once.
  sh(`${vitest} --maxWorkers=1 ${tests.join(' ')} test/architecture.test.ts ${suites.join(' ')} ${cases}`)
  // Their types, with those of all that they import.
  const typed = { extends: '../tsconfig.json', include: [], files: files.map((file) => `../${file}`) }
  writeFileSync(join(tree, '.git/tsconfig.json'), JSON.stringify(typed))
  sh('node node_modules/typescript/bin/tsc --skipLibCheck -p .git')
} else {
  sh('npm run docs')
  generated = changes()
  // It cannot be applied a second time, as that test would.
  sh(`npm test -- -t '^(?!.* as CONTRIBUTING tells it)'`)
  sh('npm run check')
}
const changed = changes()
console.log(`${changed.length} files: ${changed.join(', ')}`)
const allowed = new Set([...files, ...generated.filter((path) => path.startsWith('docs/'))])
if (changed.some((path) => !allowed.has(path))) process.exitCode = 1
