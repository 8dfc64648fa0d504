/**
 * Deletes a feature (people, workbook, plans, sandbox, or all) in a copy of this folder: its folder, its row in src/features.ts and its tests. Then
 * compiles and builds what is left, and runs a command and the tests that stay. `--quick` leaves out the tests.
 *
 * The tests of the core need the sandbox; without it in the copy, they take it from this folder. Tests of the whole product (pages, transcripts)
 * stay behind.
 */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { commandLine, ownFolder, root, run } from '../harness/tool.mjs'

const all = readdirSync(join(root, 'src/features'))
const { words, quick } = commandLine({ quick: false }, [...all, 'all'])
const gone = words.includes('all') ? all : words
const copy = join(ownFolder('without'), 'svc')

/** Pages, transcripts, pictures and planted mistakes are about every feature. */
const ofAll =
  /^test\/(?:readme|bench|bin|demo|figures|night|simulator|transcripts|contributing)\b.*\.test\.ts$/

for (const path of run('git', ['ls-files'], { cwd: root }).trim().split('\n'))
  if (existsSync(join(root, path)) && !ofAll.test(path)) cpSync(join(root, path), join(copy, path))
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

const table = join(copy, 'src/features.ts')
for (const feature of gone) {
  rmSync(join(copy, 'src/features', feature), { recursive: true })
  const row = new RegExp(`^  ${feature}: \\{\\n[^]*?^  \\},\\n`, 'm')
  writeFileSync(table, readFileSync(table, 'utf8').replace(row, ''))
}
const tests = join(copy, 'test')
// A folder of tests is named for all features that they need: `people+workbook`.
for (const name of readdirSync(join(tests, 'features')))
  if (name.split('+').some((feature) => gone.includes(feature)))
    rmSync(join(tests, 'features', name), { recursive: true })
if (gone.includes('sandbox')) {
  const own = /(?:\.\.\/)+src\/features\/sandbox\//g
  for (const name of readdirSync(tests, { recursive: true })) {
    if (!name.endsWith('.ts')) continue
    const text = readFileSync(join(tests, name), 'utf8')
    writeFileSync(join(tests, name), text.replaceAll(own, join(root, 'src/features/sandbox/')))
  }
}

const here = { cwd: copy, stdio: 'inherit' }
run('npx', ['tsc', '-p', '.'], here)
run('node', ['bin/build.mjs'], here)
run('node', ['bin/svc.js', 'lists', 'list', '--help'], { cwd: copy })
if (!quick) run('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts'], here)
console.log(
  `without ${gone.join(', ')}: everything else compiles${quick ? '' : ', and its tests pass'}`,
)
