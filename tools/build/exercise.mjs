/**
 * "Add a verb" of CONTRIBUTING.md, applied literally to a copy of the tree: `npm run docs`, `npm test` and `npm run check` pass there, and
 * beside the verb, its noun, its test, the changelog and what is generated nothing has changed.
 *
 *   node tools/build/exercise.mjs                everything; takes as long as the tests
 *   node tools/build/exercise.mjs --quick        the suites that walk the tree of commands, as `npm test` does it
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandLine, ownFolder, root } from '../harness/tool.mjs'

const { quick } = commandLine({ quick: false })
const tree = ownFolder('exercise')
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
for (const path of git('ls-files', '-z', '--cached', '--others', '--exclude-standard')) {
  if (!existsSync(join(root, path))) continue
  mkdirSync(dirname(join(tree, path)), { recursive: true })
  cpSync(join(root, path), join(tree, path))
}
// The whole suite looks at the packages themselves; a copy of the tree that makes copies of itself has to ignore them.
const packages = [join(root, 'node_modules'), join(tree, 'node_modules')]
if (quick) symlinkSync(...packages)
else cpSync(...packages, { recursive: true, verbatimSymlinks: true })
const run = (line) => {
  const { status, stdout, stderr } = spawnSync(line, { cwd: tree, shell: true, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status === 0) return
  console.log(`failed: ${line}\n${(stdout + stderr).slice(-8000)}`)
  process.exit(1)
}
run('git init -q && git add -A && git -c user.name=x -c user.email=x@example.com commit -qm before')

/** A text with `-` lines replaced by the `+` lines behind them; `+` lines behind a line as it is come after it. */
const patched = (text, diff) =>
  [...diff.matchAll(/^([ -])(.*)\n((?:\+.*\n)+)/gm)].reduce((now, [, sign, line, added]) => {
    if (now.split(`${line}\n`).length !== 2) throw new Error(`"${line}" does not stand exactly once in it`)
    const lines = added.replaceAll(/^\+/gm, '')
    return now.replace(`${line}\n`, () => (sign === '-' ? lines : `${line}\n${lines}`))
  }, text)

const [section] = /^## Add a verb\n[^]*?(?=^## )/m.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))
const blocks = [...section.matchAll(/^```(\w+) (\S+)\n([^]*?)^```$/gm)]
for (const [, language, file, code] of blocks) {
  const path = join(tree, file)
  writeFileSync(path, language === 'diff' ? patched(readFileSync(path, 'utf8'), code) : code)
}
const [, , test] = blocks.map(([, , file]) => file)
const vitest = 'node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts'
run('node bin/build.mjs')
if (quick) {
  // Those that walk the tree of commands, and the verb's own; of their cases, those about it and about all.
  const walking = ['json', 'examples', 'completion', 'help']
  const files = walking.map((name) => `test/commands/${name}.test.ts`)
  // In one process, which loads the source once.
  run(
    `${vitest} --maxWorkers=1 ${test} test/architecture.test.ts ${files.join(' ')} -t 'lists count|every (?!option of)'`,
  )
  // Their types, with those of all that they import.
  const typed = { extends: '../tsconfig.json', include: [], files: blocks.map(([, , file]) => `../${file}`) }
  writeFileSync(join(tree, '.git/tsconfig.json'), JSON.stringify(typed))
  run('node node_modules/typescript/bin/tsc --skipLibCheck -p .git')
} else {
  run('npm run docs')
  // It cannot be applied a second time, as that test would.
  run(`npm test -- -t '^(?!the verb of "Add a verb")'`)
  run('npm run check')
}
const changed = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: tree, encoding: 'utf8' })
  .trimEnd()
  .split('\n')
console.log(`${changed.length} files: ${changed.map((line) => line.slice(3)).join(', ')}`)
const allowed = new Set([...blocks.map(([, , file]) => file), 'docs/reference.md'])
if (changed.some((line) => !allowed.has(line.slice(3)))) process.exitCode = 1
