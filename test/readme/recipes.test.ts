/**
 * Every `sh` and `jq` block of the pages, run by sh as it is, each section against a sandbox of its own. Those of sections that show a
 * terminal are run with it, in test/night/pictures.test.ts.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textsOf } from '../output/opened.ts'
import { topics } from '../../src/program/help/topics.ts'
import { blocksOf, pages, readme, sectionsOf, type Block } from './pages.ts'
import { placeOf, sh, type Ending } from './run.ts'

const has = (blocks: readonly Block[], wanted: string): boolean => blocks.some(({ language }) => language === wanted)
const recipes = new Map(
  pages.flatMap((page) =>
    [...sectionsOf(page)]
      .filter(([, blocks]) => has(blocks, 'sh') && !has(blocks, 'console'))
      .map(([heading, blocks]) => [page === readme ? heading : `${page.path}: ${heading}`, blocks] as const),
  ),
)
/** The two commands for a fresh clone. */
recipes.delete('svc')

function scriptOf(heading: string): string {
  const blocks = recipes.get(heading) ?? []
  return blocks.flatMap(({ language, code }) => (language === 'sh' ? [code] : [])).join('')
}

const counted = /OUTCOME +COUNT\n(?:[\w-]+ +\d+\n)+/g

/** What each recipe must show, beside ending with 0. */
const results: Readonly<Record<string, (ending: Ending, cwd: string) => void>> = {
  'First steps': ({ stdout }) => {
    expect(stdout.match(counted)?.map((table) => table.split('\n')[1])).toEqual([
      'not-attempted    150',
      'ok         150',
    ])
    expect(stdout).toMatch(/\nNAME +Spring campaign\n.*\nCONTACTS +150\n/)
  },
  'Read a ticket and save it as a page': ({ stdout }) => {
    expect(stdout.match(/^ticket 64000004caa033e218000000$/gm)).toHaveLength(1)
    expect(stdout).toMatch(/^\d\d:\d\d {2}customer\n {7}Hello, /m)
  },
  'Add the people in a spreadsheet to a new list': ({ stdout, stderr }, cwd) => {
    const one = Number(/53 rows: (\d+) one/.exec(stderr)?.[1])
    expect(stdout.match(counted)?.at(-1)).toBe(`OUTCOME   COUNT\nok           ${one}\nleft-out     ${53 - one}\n`)
    expect(stderr).toContain(`${one} on "Trade fair"`)
    const [heading = [], ...rows] = textsOf(readFileSync(join(cwd, 'done.xlsx')))
    expect(heading.slice(-2)).toEqual(['OUTCOME', 'REASON'])
    const [match, outcome] = [heading.indexOf('MATCH'), heading.indexOf('OUTCOME')]
    expect(rows.map((row) => (row[match] === 'one' ? 'ok' : 'left-out'))).toEqual(rows.map((row) => row[outcome] ?? ''))
    expect(rows.filter((row) => row[match] === 'one')).toHaveLength(one)
  },
  'Reassign a ticket': ({ stdout }) => {
    expect(stdout).toMatch(
      /BEFORE +Alice Adams\nAFTER +Robin Berg\nUNDO +svc tickets assign 64000004caa033e218000000 --to /,
    )
  },
  'Merge two contacts of the same person': ({ stdout, stderr }) => {
    expect(stderr).toMatch(/dry run: .*merge 6400057ed5aad2927b000026 into 640005a3d5aad2927b000027/)
    expect(stdout).toMatch(/^MERGED +6400057ed5aad2927b000026\nCONTACT +640005a3d5aad2927b000027\n/m)
  },
  'Delete contacts and keep a receipt for each': ({ stdout }) => {
    expect(stdout).toMatch(/\ndeleted +2\nblocked +1\n/)
    expect(stdout.match(/^[0-9a-f]{24},\d,(?:deleted|blocked),1,1,,$/gm)).toHaveLength(3)
  },
  'Have somebody else check before contacts are deleted': ({ stdout }) => {
    expect(stdout.match(counted)?.map((table) => table.split('\n')[1])).toEqual([
      'not-attempted      3',
      'deleted      2',
    ])
  },
  'Delete contacts that are on one list but not on another': ({ stdout }) => {
    expect(stdout).toMatch(/^OUTCOME +COUNT\ndeleted +\d+\n/)
  },
  'Run a nightly job once, however often it is started': ({ stdout }) => {
    expect(stdout).toMatch(/\nok +280\n/)
  },
  // Each fault ends in a job that is done, and nothing that `runs check` would name.
  'docs/scripting.md: Try a script with faults': ({ stdout }) => {
    expect(stdout.match(/^(?:ok|on-list) .*$/gm)?.length).toBeGreaterThanOrEqual(4)
  },
  'docs/guide.md: Compare two lists': ({ stdout }) => {
    expect(stdout).toMatch(/^NAME +LISTS\n(?:.*Campaign 297.*\n){3}$/)
  },
  'docs/guide.md: Download conversations for a report': (_ending, cwd) => {
    const ids = readFileSync(join(cwd, 'tickets.txt'), 'utf8').trim().split('\n')
    for (const id of ids) expect(readFileSync(join(cwd, `${id}.html`), 'utf8')).toContain(`Ticket ${id}`)
    const messages = readFileSync(join(cwd, 'messages.csv'), 'utf8')
    for (const id of ids) expect(messages).toContain(`\n${id},`)
  },
  'docs/scripting.md: Rules for scripts': ({ stdout }) => {
    expect(stdout).toBe('')
  },
  'docs/output.md: What commands exist': ({ stdout }) => {
    expect(stdout).toContain('"command": "svc lists list"')
    expect(stdout).toContain('"const": "svc.bulk/1"')
  },
  'docs/output.md: Where things go': ({ stdout }) => {
    expect(stdout).toBe('')
  },
  'docs/approvals.md: Plan, approve, apply': ({ stdout }) => {
    expect(stdout).toMatch(/\nPlanned by +\S+, [^]*\nReason +DSAR 4711\n[^]*\ndeleted +2\nblocked +1\n/)
  },
  'docs/approvals.md: Evidence': ({ stdout }) => {
    expect(stdout).toContain('Good "svc-evidence" signature for ana@example.com')
    expect(stdout).toContain('2 deleted: deleted by this run')
  },
}

test.each(Object.keys(results))('%s', async (heading) => {
  const cwd = placeOf(recipes.get(heading) ?? [])
  const ending = await sh(scriptOf(heading), {}, cwd)
  expect(ending.stderr).not.toMatch(/^error:/m)
  expect(ending.code).toBe(0)
  results[heading]?.(ending, cwd)
})

const own = [...(sectionsOf(readme).get('svc') ?? [])]
const eight = [...sectionsOf(readme)].flatMap(([heading, [first]]) =>
  first?.headings[1] === 'Recipes' && heading !== 'Recipes' ? [heading] : [],
)

test('eight recipes in the README; every sh block of every page but the set-up is run', () => {
  expect(own.map(({ code }) => code)).toEqual([
    expect.stringMatching(/^npm ci && npm run demo .*\nnpm ci && npm test .*\n$/),
  ])
  expect(eight).toHaveLength(8)
  expect(new Set(recipes.keys())).toEqual(new Set(Object.keys(results)))
})

test('few blocks are run by no test, and none of a language unknown here', () => {
  const read = pages.flatMap((page) =>
    blocksOf(page)
      .filter(isOnlyRead)
      .map(({ language }) => language),
  )
  expect(new Set(read)).toEqual(new Set(['text']))
  expect(read.length).toBeLessThan(10)
})

function isOnlyRead({ language, file }: Block): boolean {
  return file === undefined && !['sh', 'console', 'jq'].includes(language)
}

test.runIf(spawnSync('jq', ['--version']).status === 0)('the recipes that need jq', async () => {
  const blocks = pages
    .flatMap((page) => [...sectionsOf(page).values()].flat())
    .filter(({ language }) => language === 'jq')
  expect(blocks).toHaveLength(2)
  const { code, stdout } = await sh(blocks.map(({ code }) => code).join(''))
  expect(code).toBe(0)
  expect(stdout).toMatch(/^(?:.+ <\S+@\S+>\n)+\{"status":"complete","added":280,"failed":0\}\n$/)
})

const ofHelp = topics
  .find(({ name }) => name === 'scripting')
  ?.text.split('\n\n')
  .find((part) => part.includes('set -euo pipefail'))
  ?.replace('set -euo pipefail', 'set -eu')

test.each([
  ...eight.map((heading) => [heading, scriptOf(heading)] as const),
  ['svc help scripting', ofHelp ?? 'true'] as const,
])('%s: nothing follows a first command that fails', (_, script) => {
  const failing = `svc() { echo "$*" >> calls.txt; return 7; }\n${script}`
  const cwd = placeOf([])
  expect(spawnSync('sh', ['-ec', failing], { cwd })).toMatchObject({ status: 7 })
  expect(readFileSync(join(cwd, 'calls.txt'), 'utf8')).toMatch(/^.+\n$/)
})

describe('the nightly job', () => {
  const job = scriptOf('Run a nightly job once, however often it is started')

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
