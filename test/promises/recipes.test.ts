/** Every `sh` and `jq` block of the pages, each section against a sandbox of its own. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, pageAt, pages, readme, sectionsOf, type Block } from '../support/pages.ts'
import { bin } from '../support/spawned.ts'
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

/**
 * Rows without an id are 3, because no person looks at them. A run that stops on purpose is 7. No
 * page answers for a person in advance: the test says yes.
 */
const withoutLooking = (script: string): string =>
  script
    .replaceAll(/^svc (?:contacts delete(?!.*--dry-run)|runs (?:resume|close)).*$/gm, '$& --yes')
    .replaceAll(/^svc (?:contacts match|.*--file matched\.).*$/gm, '{ $&; } || test $? = 3')
    .replaceAll(/^svc .*--wait 0s$/gm, '{ $&; } || test $? = 7')

/** How many things each recipe changes. A recipe that only reads must end with 0. */
const effects: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'Add the people in a spreadsheet to a new list': { 'lists.create': 1, 'lists.add-contacts': 37 },
  'Delete contacts, and keep proof': { 'contacts.delete': 2 },
  'Resume a run that stopped': { 'lists.create': 1, 'lists.add-contacts': 200 },
  'docs/scripting.md: Try a script with faults': {},
  'docs/guide.md: Save and name things': {},
  'docs/guide.md: Find a contact': { 'lists.add-contacts': 1 },
  'docs/guide.md: Reassign tickets': { 'tickets.assign': 1 },
  'docs/guide.md: Give each ticket to a different colleague': { 'tickets.assign': 1 },
  'docs/guide.md: Give tickets back': { 'tickets.assign': 4 },
  'docs/guide.md: Merge and delete': { 'contacts.delete': 1 },
  'docs/guide.md: Compare two lists, or a list with a file': { 'lists.add-contacts': 1 },
  'docs/guide.md: Save the histories of many tickets': {},
  'docs/guide.md: If your key was replaced': { 'contacts.delete': 20 },
}

/** With the still clock, two runs of a sandbox of its own would have one name. */
const realClock = 'unset NODE_OPTIONS\n'
const setups: Readonly<Record<string, (desk: Desk) => Promise<void> | void>> = {
  'Resume a run that stopped': ({ world }) =>
    world.sandbox.setFaults('lists.add-contacts:2=drop-after-apply'),
  'docs/guide.md: If your key was replaced': async (desk) => {
    desk.world.sandbox.setFaults('contacts.delete:1=503')
    const stopped = await desk.sh(`
      svc lists members "Campaign 296" -o ids > ids.txt
      svc contacts delete --file ids.txt --yes --once cleanup --wait 0s`)
    expect(stopped.code).toBe(7)
    desk.world.sandbox.setFaults()
  },
}

const shownBy = (heading: string): string[] =>
  (recipes.get(heading) ?? []).flatMap(({ language, code }) =>
    language === 'output' ? code.trimEnd().split('\n') : [],
  )

test.each(Object.keys(effects))('%s', async (heading) => {
  const desk = await openDesk(recipes.get(heading))
  await setups[heading]?.(desk)
  let [stdout, stderr] = ['', '']
  const scripts = (recipes.get(heading) ?? []).filter(({ language }) => language === 'sh')
  for (const { code } of scripts) {
    const printed = await desk.sh(`${realClock}set -e\n${withoutLooking(code)}`)
    stdout += printed.stdout
    stderr += printed.stderr
    expect([printed.code, stderr]).toEqual([0, stderr])
  }
  expect(stderr.match(/^error:/gm) ?? []).toHaveLength(stdout.includes('no-answer') ? 1 : 0)
  const printed = `${stdout}${stderr}`.split('\n').map((line) => line.trimEnd())
  expect(printed).toEqual(expect.arrayContaining(shownBy(heading)))
  const counts: Record<string, number> = {}
  for (const { operation = '', changed } of desk.world.sandbox.record.entries)
    if (changed.length > 0) counts[operation] = (counts[operation] ?? 0) + changed.length
  expect(counts).toEqual(effects[heading])
})

test('every sh block of every page is run', () => {
  expect(new Set(recipes.keys())).toEqual(new Set(Object.keys(effects)))
})

const hasJq = spawnSync('jq', ['--version']).status === 0
test.runIf(hasJq)('the recipe for programs: each message of a ticket in a line', async () => {
  const blocks = pages.flatMap(blocksOf).filter(({ language }) => language === 'jq')
  expect(blocks).toHaveLength(1)
  const desk = await openDesk()
  const { code, stdout } = await desk.sh(`set -e\n${blocks.map((block) => block.code).join('')}`)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^(?:\S+Z\t\w+\t.+\n)+$/)
})

const [, nightly = ''] =
  /^```text\n(mkdir -p todo [^]*?)^```$/m.exec(pageAt('docs/topics/scripting.md').text) ?? []

/** Plays nights against one sandbox. Returns how each ended, and what is in the folders then. */
async function playNights(desk: Desk, nights: readonly Night[]) {
  const { folder, sandbox } = desk.world
  writeFileSync(join(folder, 'nightly.sh'), nightly)
  // With the chance of a desk, too, two runs of a night would have one id.
  writeFileSync(join(folder, 'time.cjs'), 'Date.now = () => Number(process.env.NOW)')
  const svc = `exec "${process.execPath}" --require "${folder}/time.cjs" "${bin}" "$@"`
  writeFileSync(join(folder, 'bin/svc'), `#!/bin/sh\n${svc}\n`, { mode: 0o755 })
  writeFileSync(join(folder, 'bin/date'), '#!/bin/sh\necho "$NIGHT"\n', { mode: 0o755 })
  const filesIn = (name: string) => readdirSync(join(folder, name)).toSorted().join(' ')
  const ends: string[] = []
  for (const { day, faults, rows, files = {} } of nights) {
    const added = rows === undefined ? files : { ...files, [`vip-${day}.csv`]: rows }
    for (const [name, text] of Object.entries(added))
      writeFileSync(join(folder, 'todo', name), text)
    sandbox.setFaults(faults)
    const { code, stderr } = await desk.sh(
      `${realClock}export NIGHT=${day} SVC_WAIT=0s; sh nightly.sh`,
    )
    sandbox.setFaults()
    ends.push(`${code} | ${filesIn('todo')} | ${filesIn('done')}`)
    // Each table that stays is named.
    const left = readdirSync(join(folder, 'todo')).filter((name) => /csv$/i.test(name))
    const unnamed = left.filter((name) => !stderr.includes(name))
    expect(code === 4 ? [] : unnamed).toEqual([])
  }
  return ends
}

interface Night {
  day: string
  faults?: string
  /** What a command before this one has put there. */
  rows?: string
  /** What people have put there, by its name. */
  files?: Readonly<Record<string, string>>
}

test('four nights: an outage, a resumed one with some not found, an empty one, a good one', async () => {
  const desk = await openDesk()
  const { folder, sandbox } = desk.world
  const absent = '0123456789abcdef01234567'
  const nights: Night[] = [
    { day: '1', faults: 'lists.add-contacts=503' },
    { day: '2', rows: `contactId,name\n${absent},Ada\n` },
    { day: '3', rows: 'contactId,name\n' },
    { day: '4' },
    { day: '4' },
  ]
  const done = (...days: number[]) =>
    [...days.map((day) => `receipts-vip-${day}.csv`), ...days.map((day) => `vip-${day}.csv`)].join(
      ' ',
    )
  expect(await playNights(desk, nights)).toEqual([
    '7 | vip-1.csv | ',
    `0 |  | ${done(1, 2)}`,
    `0 |  | ${done(1, 2, 3)}`,
    `0 |  | ${done(1, 2, 3, 4)}`,
    `0 |  | ${done(1, 2, 3, 4)}`,
  ])
  const receipts = (day: number) =>
    readFileSync(join(folder, `done/receipts-vip-${day}.csv`), 'utf8')
  expect(receipts(1).match(/,done,/g)).toHaveLength(280)
  expect(receipts(2)).toContain(`\n${absent},Ada,not-found,`)
  expect(receipts(3)).toBe('contactId,name,OUTCOME,REASON,AT\n')
  expect((await desk.sh('svc runs list --unfinished -o ids')).stdout).toBe('')
  const added = sandbox.record.entries.filter(({ operation }) => operation === 'lists.add-contacts')
  expect(added.flatMap(({ changed }) => changed)).toHaveLength(280)
})

test('a night with files of people: names in any letters, one that is none, and one that grows', async () => {
  const desk = await openDesk()
  const text = 'contactId\n0123456789abcdef01234567\n'
  const [wholeNames, others] = [
    ['PEOPLE.CSV', 'b.Csv'],
    ['my people.csv', 'M\u00fcller.csv'],
  ]
  const files = [...wholeNames, ...others, 'grown.part', `${'x'.repeat(61)}.csv`]
  const nights: Night[] = [
    { day: '1' },
    { day: '2', files: Object.fromEntries(files.map((name) => [name, text])) },
    { day: '3', files: { 'grown.csv': `${text}00000000000000000000000a\n`, 'notes.txt': '' } },
  ]
  const ends = await playNights(desk, nights)
  const sent = 'receipts-vip-1.csv vip-1.csv'
  expect(ends[0]).toBe(`0 |  | ${sent}`)
  for (const end of ends.slice(1)) {
    const [code, todo, done] = end.split(' | ')
    expect(code).toBe('2')
    for (const name of others) expect(todo).toContain(name)
    for (const name of wholeNames) expect(done).toContain(`receipts-${name}`)
  }
  expect(ends[2]).toContain(' receipts-grown.csv ')
})

test('a nightly script ends early at a failing list, at 4, and at a signal, and with the first code', async () => {
  const desk = await openDesk()
  const nights: Night[] = [
    { day: '1', faults: 'lists.get=503' },
    { day: '1', faults: 'lists.add-contacts=503' },
    { day: '2', faults: 'lists.add-contacts=400' },
    { day: '3', faults: 'lists.add-contacts=401' },
  ]
  expect(await playNights(desk, nights)).toEqual([
    '7 |  | ',
    '7 | vip-1.csv | ',
    '1 | vip-1.csv vip-2.csv | receipts-vip-1.csv receipts-vip-2.csv',
    '4 | vip-1.csv vip-2.csv vip-3.csv | receipts-vip-1.csv receipts-vip-2.csv',
  ])
})

test('two nightly scripts at one moment do each job once', async () => {
  const desk = await openDesk()
  const { folder, sandbox } = desk.world
  await playNights(desk, [])
  const night = `${realClock}export NIGHT=1; sh nightly.sh`
  const both = await Promise.all([desk.sh(night), desk.sh(night)])
  expect(both.map(({ code }) => code)).toContain(0)
  await desk.sh(night)
  expect(readdirSync(join(folder, 'todo'))).toEqual([])
  const added = sandbox.record.entries.filter(({ operation }) => operation === 'lists.add-contacts')
  expect(added.flatMap(({ changed }) => changed)).toHaveLength(280)
})
