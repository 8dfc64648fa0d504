/**
 * Every `sh` and `jq` block of the pages, run by sh as it is, each section against a sandbox of its
 * own.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../support/ending.ts'
import { blocksOf, pages, readme, sectionsOf, type Block } from '../support/pages.ts'
import { table } from '../support/table.ts'
import { openDesk, type Desk } from '../support/transcripts/desk.ts'

/** The sections with blocks that sh runs; those of the README by their headings alone. */
const recipes = new Map(
  pages.flatMap((page) =>
    [...sectionsOf(page)].flatMap(([heading, blocks]): [string, Block[]][] =>
      blocks.some(({ language }) => language === 'sh')
        ? [[page === readme ? heading : `${page.path}: ${heading}`, blocks]]
        : [],
    ),
  ),
)
/** The two commands for a fresh clone. */
recipes.delete('svc')

/** The blocks that sh runs, one after the other. */
const scriptsOf = (heading: string): string[] =>
  (recipes.get(heading) ?? []).flatMap(({ language, code }) => (language === 'sh' ? [code] : []))

/**
 * A person looks at the rows that are not `one` before the next block. Rows without a decision are
 * 3.
 */
const withoutLooking = (script: string): string =>
  script.replace(
    /^(svc (?:contacts match|.*--file matched\.).*?)( &&)?$/gm,
    '{ { $1; } || test $? = 3; }$2',
  )

/** How many things each recipe changes. A recipe that only reads must end with 0. */
const effects: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'First steps': { 'lists.create': 1, 'lists.add-contacts': 150 },
  "Save a ticket's conversation": {},
  'Add contacts that are missing from a list': { 'lists.add-contacts': 280 },
  'Add the people in a spreadsheet to a new list': { 'lists.create': 1, 'lists.add-contacts': 36 },
  'Delete contacts, and keep proof': { 'contacts.delete': 2 },
  'Resume a job that stopped': {},
  'Run a nightly job': { 'lists.add-contacts': 280 },
  'docs/scripting.md: Try a script with faults': {},
  'docs/scripting.md: A nightly job': {},
  'docs/guide.md: Find your way': {},
  'docs/guide.md: Find a contact': { 'lists.add-contacts': 1 },
  'docs/guide.md: Reassign tickets': { 'tickets.assign': 1 },
  'docs/guide.md: Give each ticket to a different colleague': { 'tickets.assign': 1 },
  'docs/guide.md: Give tickets back': { 'tickets.assign': 4 },
  'docs/guide.md: Merge and delete': { 'contacts.delete': 1 },
  'docs/guide.md: Keep the names of the contacts that you delete': { 'contacts.delete': 2 },
  'docs/guide.md: Compare two lists, or a list with a file': {
    'lists.create': 1,
    'lists.add-contacts': 4,
  },

  'docs/guide.md: Use two files at once': { 'lists.add-contacts': 5 },
  'docs/guide.md: Use only some rows': {},
  'docs/guide.md: Save the histories of many tickets in one file': {},
  'docs/guide.md: Read something that svc has no command for': {},
  'docs/guide.md: If your key was replaced': { 'contacts.delete': 20 },
}

/**
 * With the still clock of a desk, two runs that a sandbox of its own begins would have one name.
 */
const realClock = 'unset NODE_OPTIONS\n'

const [nightly = ''] = scriptsOf('Run a nightly job')

/** What must have happened before a recipe. */
const setups: Readonly<Record<string, (desk: Desk) => Promise<void> | void>> = {
  'docs/scripting.md: A nightly job': ({ world }) =>
    writeFileSync(join(world.folder, 'nightly.sh'), nightly),
  'docs/guide.md: If your key was replaced': async (desk) => {
    desk.world.sandbox.setFaults('contacts.delete:1=503')
    const stopped = await desk.sh(`
      svc lists members "Campaign 296" -o ids > ids.txt
      svc contacts delete --file ids.txt --yes --once cleanup --wait 0s`)
    expect(stopped.code).toBe(7)
    desk.world.sandbox.setFaults()
  },
}

/** Two recipes stop a run on purpose, in a sandbox of their own, and resume it. */
const recoveries: Readonly<Record<string, RegExp>> = {
  'Resume a job that stopped': /^unanswered +29 .*[^]*^done +20 .*\nblocked +9 /m,
  'docs/scripting.md: A nightly job': new RegExp(
    'unanswered +280 .*\nThe first night ended with 7[.]\n(?:OUTCOME.*\ndone +280 .*\n){2}' +
      'The second night ended with 0[.]\nRUN.*\n(?:campaign-2026-03-0. +complete +0 .*\n){2}$',
  ),
}

test.each(Object.keys(effects))('%s', async (heading) => {
  const desk = await openDesk(recipes.get(heading))
  await setups[heading]?.(desk)
  let [stdout, stderr] = ['', '']
  for (const script of scriptsOf(heading)) {
    const printed = await desk.sh(`${realClock}set -e\n${withoutLooking(script)}`)
    stdout += printed.stdout
    stderr += printed.stderr
    expect([printed.code, stderr]).toEqual([0, stderr])
  }
  expect(stderr.match(/^error:/gm) ?? []).toHaveLength(heading in recoveries ? 1 : 0)
  expect(stdout).toMatch(recoveries[heading] ?? /^/)
  const counts: Record<string, number> = {}
  for (const { operation = '', changed } of desk.world.sandbox.record.entries)
    if (changed.length > 0) counts[operation] = (counts[operation] ?? 0) + changed.length
  expect(counts).toEqual(effects[heading])
})

test('every sh block of every page but the set-up is run', () => {
  expect(
    sectionsOf(readme)
      .get('svc')
      ?.map(({ code }) => code),
  ).toEqual([expect.stringMatching(/^npm ci && npm run demo .*\nnpm ci && npm test .*\n$/)])
  expect(new Set(recipes.keys())).toEqual(new Set(Object.keys(effects)))
})

test.runIf(spawnSync('jq', ['--version']).status === 0)(
  'the recipe for programs: each message of a ticket in a line',
  async () => {
    const blocks = pages.flatMap(blocksOf).filter(({ language }) => language === 'jq')
    expect(blocks).toHaveLength(1)
    const desk = await openDesk()
    const { code, stdout } = await desk.sh(`set -e\n${blocks.map((block) => block.code).join('')}`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^(?:\S+Z\t\w+\t.+\n)+$/)
  },
)

/** Runs the script with a `svc` that only ends with a code, and returns its end and its calls. */
function runWithCodes([list, resumes, members, add]: readonly string[]) {
  const folder = ownFolder('night')
  mkdirSync(join(folder, 'bin'))
  const stub = `#!/bin/sh
case "$1 $2" in
  'runs list') echo campaign-2026-03-01; echo other-2026-03-01; echo campaign-2026-03-02
    exit ${list} ;;
  'runs resume') echo "$3" >&2; set -- ${resumes}; [ -e second ] && shift; touch second; exit $1 ;;
  'lists members') [ ${members} != 0 ] || echo id > "$5"; exit ${members} ;;
esac
echo add >&2; exit ${add}
`
  writeFileSync(join(folder, 'bin/svc'), stub, { mode: 0o755 })
  writeFileSync(join(folder, 'nightly.sh'), nightly)
  const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`
  const options = { cwd: folder, env: { PATH }, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync('sh', ['nightly.sh', '2026-03-03'], options)
  return [String(status), stderr.replaceAll('campaign-2026-03-0', '').trim().split('\n').join(' ')]
}

test('the nightly job ends early at a failing list, at 4 and at signals, and with one code', () => {
  for (const [list = '', resumes = '', members = '', add = '', ...ended] of table(`
    0   | 0 0 | 0 | 0   | 0   | 1 2 add
    0   | 3 0 | 0 | 0   | 3   | 1 2 add
    0   | 3 7 | 0 | 0   | 7   | 1 2 add
    0   | 7 2 | 0 | 3   | 2   | 1 2 add
    0   | 1 2 | 0 | 7   | 1   | 1 2 add
    0   | 3 4 | 0 | 0   | 4   | 1 2
    0   | 2 4 | 0 | 0   | 4   | 1 2
    0   | 1 4 | 0 | 0   | 1   | 1 2
    0   | 130 | 0 | 0   | 130 | 1
    0   | 1 0 | 0 | 143 | 143 | 1 2 add
    0   | 3 0 | 7 | 0   | 7   | 1 2
    0   | 0 0 | 4 | 0   | 4   | 1 2
    7   | 0 0 | 0 | 0   | 7   |
    130 | 0 0 | 0 | 0   | 130 |`))
    expect(runWithCodes([list, resumes, members, add]), `${list}; ${resumes}; ${add}`).toEqual(
      ended,
    )
})
