/** Every `sh` block of the README, run by sh as it stands, each against a sandbox of its own. Needs Node and sh alone. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { topics } from '../../src/cli/help/topics.ts'
import { root } from '../svc.ts'
import { blocksOf, readme } from './readme.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-readme-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

interface Ending {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly bin?: string
  readonly faults?: string
  /** The file of the script's own folder to read afterwards. */
  readonly file?: string
}

/** Runs a script in a folder of its own, with `svc` in its path. Nothing of this machine's settings plays a part. */
async function sh(
  script: string,
  { bin = join(root, 'bin/svc.js'), faults, file }: Place = {},
): Promise<Ending & { file: string }> {
  const cwd = mkdtempSync(join(folder, 'recipe-'))
  writeFileSync(join(cwd, 'recipe.sh'), script)
  const words = [
    'sandbox',
    'exec',
    ...(faults === undefined ? [] : ['--faults', faults]),
    '--',
    'sh',
    '-e',
    'recipe.sh',
  ]
  const env = { PATH: process.env['PATH'], HOME: cwd, TZ: 'UTC' }
  const ended: Ending = await promisify(execFile)(process.execPath, [bin, ...words], { cwd, env }).then(
    (output) => ({ code: 0, ...output }),
    (error: Error & Ending) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
  )
  return { ...ended, file: file === undefined ? '' : readFileSync(join(cwd, file), 'utf8') }
}

const blocks = blocksOf(readme)
const scripts = blocks.filter(({ language }) => language === 'sh')

function recipe(heading: string): string {
  const [found, another] = scripts.filter(({ headings }) => headings.at(-1) === heading)
  if (found === undefined || another !== undefined) throw new Error(`not one sh block under "${heading}"`)
  return found.code
}

function recipesOf(chapter: string): string[] {
  return scripts.flatMap(({ headings }) => (headings[1] === chapter && headings[2] !== undefined ? [headings[2]] : []))
}

const counted = /OUTCOME +COUNT\n(?:[\w-]+ +\d+\n)+/g

/** What each recipe must show, beside ending with 0. */
const results: Readonly<Record<string, (ending: Ending) => void>> = {
  'First steps': ({ stdout }) => {
    expect(stdout.match(counted)?.map((table) => table.split('\n')[1])).toEqual([
      'not-attempted    150',
      'ok         150',
    ])
    expect(stdout).toMatch(/\nNAME +Spring campaign\n.*\nCONTACTS +150\n/)
  },
  'Read a ticket, and hand it to a colleague': ({ stdout }) => {
    expect(stdout.match(/^ticket 64000004caa033e218000000$/gm)).toHaveLength(2)
    expect(stdout).toMatch(/^\d\d:\d\d {2}customer\n {7}Hello, /m)
  },
  'Put the people of a spreadsheet on a new list': ({ stdout }) => {
    expect(stdout.match(counted)?.at(-1)).toBe('OUTCOME  COUNT\nok         280\n')
  },
  'Give a ticket to someone else': ({ stdout }) => {
    expect(stdout).toMatch(
      /BEFORE +Alice Adams\nAFTER +Robin Berg\nUNDO +svc tickets assign 64000004caa033e218000000 --to /,
    )
  },
  'Merge two contacts that are one person': ({ stdout, stderr }) => {
    expect(stderr).toMatch(/dry run: .*merge 6400057ed5aad2927b000026 into 640005a3d5aad2927b000027/)
    expect(stdout).toMatch(/^MERGED +6400057ed5aad2927b000026\nCONTACT +640005a3d5aad2927b000027\n/m)
  },
  'Delete contacts, and see what became of each': ({ stdout }) => {
    expect(stdout).toMatch(/\ndeleted +2\nblocked +1\n/)
    expect(stdout.match(/^[0-9a-f]{24},\d,(?:deleted|blocked),1,1,,$/gm)).toHaveLength(3)
  },
  'Copy one list into another': ({ stdout }) => {
    expect(stdout).toMatch(/\nok +280\n/)
  },
  'Delete who is on one list and not on another': ({ stdout }) => {
    expect(stdout).toMatch(/^OUTCOME +COUNT\ndeleted +\d+\n/)
  },
  'A nightly job that is done once': ({ stdout }) => {
    expect(stdout).toMatch(/\nok +280\n/)
  },
  'Reports from tables': ({ stdout }) => {
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toBe('280\tVIP')
    const days = lines.slice(5).map((line) => /^ *(\d+) (\d{4}-\d\d-\d\d)$/.exec(line)?.[1])
    expect(days.reduce((total, count) => total + Number(count), 0)).toBe(5000)
  },
  'One file, two machines': ({ stdout }) => {
    const parts = [...stdout.matchAll(/\nok +(\d+)\n/g)].map(([, count]) => Number(count))
    expect(parts.toSorted((a, b) => a - b)).toEqual([100, 180])
  },
}

test.each(Object.keys(results))('%s', async (heading) => {
  const ending = await sh(recipe(heading))
  expect(ending.stderr).not.toMatch(/^error:/m)
  expect(ending.code).toBe(0)
  results[heading]?.(ending)
})

test('five recipes for support work, five for pipelines; every sh block but the set-up is run here', () => {
  const support = recipesOf('Recipes for support work')
  const pipelines = recipesOf('Recipes for pipelines')
  expect([support.length, pipelines.length]).toEqual([5, 5])
  const [setUp, ...others] = scripts
  expect(setUp?.code).toMatch(/^npm ci && npm run demo .*\nnpm ci && npm test .*\n$/)
  expect(others).toHaveLength(Object.keys(results).length)
  expect(new Set(others.map(({ headings }) => headings.at(-1)))).toEqual(new Set(Object.keys(results)))
})

test.runIf(spawnSync('jq', ['--version']).status === 0)('the recipes that need jq', async () => {
  const { code, stdout } = await sh(readFileSync(join(root, 'test/readme/with-jq.sh'), 'utf8'))
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^ +3333 incoming\n +1667 outgoing\n(?:.+ <\S+@\S+>\n)+\{"run":".*","status":"complete","added":280,"failed":0\}\n/,
  )
})

const chained = Object.keys(results).filter((heading) => heading !== 'First steps')

test.each(chained)('%s: nothing follows a first command that fails', async (heading) => {
  const shim = 'svc() { echo "$*" >> calls.txt; return 7; }'
  const { code, file } = await sh(`${shim}\n${recipe(heading)}`, { file: 'calls.txt' })
  expect(code).toBe(7)
  expect(file.trimEnd().split('\n')).toHaveLength(1)
})

test('the recipe of svc help scripting stops at a first command that fails', async () => {
  const topic = topics.find(({ name }) => name === 'scripting')
  const block = topic?.text.split('\n\n').find((part) => part.includes('set -euo pipefail'))
  if (block === undefined) throw new Error('the topic has no recipe')
  const script = `svc() { echo "$*" >> calls.txt; return 7; }\n${block.replace('set -euo pipefail', 'set -eu')}`
  const { code, file } = await sh(script, { file: 'calls.txt' })
  expect(code).toBe(7)
  expect(file.trimEnd().split('\n')).toHaveLength(1)
})

describe('the nightly job', () => {
  const job = recipe('A nightly job that is done once')

  test('is repeated until it is done, when the service was away for a while; then it sends nothing', async () => {
    const repeated = [
      `code=7; while [ $code = 7 ] || [ $code = 8 ]; do code=0; sh -c '${job.replaceAll("'", `'"'"'`)}' > summary.txt 2>> notes.txt || code=$?; done`,
      `echo "ended with $code"; cat summary.txt`,
      job,
    ]
    const faults = 'lists.add-contacts:1-12=503(retry-after=0)'
    const { code, stdout, stderr, file } = await sh(repeated.join('\n'), { faults, file: 'notes.txt' })
    expect(file).toMatch(/to resume:\n\s+svc runs resume/)
    expect(stdout).toMatch(/^ended with 0\nOUTCOME +COUNT\nok +280\nOUTCOME +COUNT\nok +280\n$/)
    expect(stderr).toMatch(/done on .*; nothing was sent/)
    expect(code).toBe(0)
  })

  test('ends with the code of a failure that waiting does not fix', async () => {
    const { code } = await sh(job, { faults: 'lists.add-contacts:1+=401' })
    expect(code).toBe(4)
  })
})

test('the verb of "Adding a verb" works as it is written there', { timeout: 60_000 }, async () => {
  const [verb, spec] = blocks.filter(({ headings }) => headings.at(-1) === 'Adding a verb').map(({ code }) => code)
  if (verb === undefined || spec === undefined) throw new Error('two blocks of code are missing')
  const tree = mkdtempSync(join(folder, 'tree-'))
  for (const name of ['bin', 'src', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(tree, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  writeFileSync(join(tree, 'src/commands/lists/count.ts'), verb)
  const noun = join(tree, 'src/commands/lists/noun.ts')
  const before = readFileSync(noun, 'utf8')
  const after = before
    .replace('import { create }', "import { count } from './count.ts'\nimport { create }")
    .replace('of [list,', 'of [count, list,')
  expect(after.length - before.length).toBe(`import { count } from './count.ts'\ncount, `.length)
  writeFileSync(noun, after)
  await promisify(execFile)(process.execPath, ['bin/build.mjs'], { cwd: tree })
  const bin = join(tree, 'bin/svc.js')
  const shown = await sh('svc lists count; svc lists count --json; svc lists --help', { bin })
  // The test of the README expects exactly this.
  const [, expected = ''] = /stdout: '(.*)\\n'/.exec(spec) ?? []
  expect(shown.stdout.split('\n').slice(0, 4)).toEqual([expected, '{', '  "lists": 300', '}'])
  expect(shown.stdout).toMatch(/\n {2}count +count the contact lists\n/)
})
