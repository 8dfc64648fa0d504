/** Every `sh` and `jq` block of the pages, run by sh as it is, each section against a sandbox of its own. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { blocksOf, pages, readme, sectionsOf, type Block } from '../support/pages.ts'
import { openDesk } from '../support/transcripts/desk.ts'

const has = (blocks: readonly Block[], wanted: string): boolean =>
  blocks.some(({ language }) => language === wanted)
const recipes = new Map(
  pages.flatMap((page) =>
    [...sectionsOf(page)]
      .filter(([, blocks]) => has(blocks, 'sh'))
      .map(
        ([heading, blocks]) =>
          [page === readme ? heading : `${page.path}: ${heading}`, blocks] as const,
      ),
  ),
)
/** The two commands for a fresh clone. */
recipes.delete('svc')

const shOf = (blocks: readonly Block[] = []): string =>
  blocks.flatMap(({ language, code }) => (language === 'sh' ? [`${code}\n`] : [])).join('')
const scriptOf = (heading: string): string => `set -e\n${shOf(recipes.get(heading))}`

/** A person looks at the rows that are not `one` before the next block. Rows without a decision are 3. */
const withoutLooking = (script: string): string =>
  script.replace(
    /^(svc (?:contacts match|.*--file matched\.).*?)( &&)?$/gm,
    '{ { $1; } || test $? = 3; }$2',
  )

/** How many things each recipe changes; what it reads is not looked at, beside that it ends with 0. */
const effects: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'First steps': { 'lists.create': 1, 'lists.add-contacts': 150 },
  'Add those who are on one list and not on another': { 'lists.add-contacts': 280 },
  'Add the people in a spreadsheet to a new list': { 'lists.create': 1, 'lists.add-contacts': 36 },
  'Delete contacts, and prove what happened to each': { 'contacts.delete': 2 },
  'Resume after a kill': {},
  'Run a nightly job once, however often it is started': { 'lists.add-contacts': 280 },
  'docs/scripting.md: Try a script with faults': {},
  'docs/guide.md: Find your way': {},
  'docs/guide.md: Find a contact': { 'lists.add-contacts': 1 },
  'docs/guide.md: Read a ticket': {},
  'docs/guide.md: Recipes': { 'lists.create': 1, 'lists.add-contacts': 4 },
  'docs/guide.md: Merge and delete': { 'contacts.delete': 1 },
}

test.each(Object.keys(effects))('%s', async (heading) => {
  const { sh, world } = await openDesk(recipes.get(heading))
  const { code, stdout, stderr } = await sh(withoutLooking(scriptOf(heading)))
  expect(code).toBe(0)
  // One recipe stops a run on purpose, in a sandbox of its own.
  const isStopped = heading === 'Resume after a kill'
  expect(stderr.match(/^error:/gm) ?? []).toHaveLength(isStopped ? 1 : 0)
  expect(stdout).toMatch(isStopped ? /^unanswered +29 .*[^]*^done +20 .*\nblocked +9 /m : /^/)
  const counts: Record<string, number> = {}
  for (const { operation = '', changed } of world.sandbox.record.entries)
    if (changed.length > 0) counts[operation] = (counts[operation] ?? 0) + changed.length
  expect(counts).toEqual(effects[heading])
})

const own = [...(sectionsOf(readme).get('svc') ?? [])]
const ofReadme = [...sectionsOf(readme)].flatMap(([heading, [first]]) =>
  first?.headings[1] === 'Recipes' && heading !== 'Recipes' ? [heading] : [],
)

test('six recipes in the README; every sh block of every page but the set-up is run', () => {
  expect(own.map(({ code }) => code)).toEqual([
    expect.stringMatching(/^npm ci && npm run demo .*\nnpm ci && npm test .*\n$/),
  ])
  expect(ofReadme).toHaveLength(6)
  expect(new Set(recipes.keys())).toEqual(new Set(Object.keys(effects)))
})

test.runIf(spawnSync('jq', ['--version']).status === 0)(
  'the recipe for programs: each message of a ticket in a line',
  async () => {
    const blocks = blocksOf(readme).filter(({ language }) => language === 'jq')
    expect(blocks).toHaveLength(1)
    const desk = await openDesk()
    const { code, stdout } = await desk.sh(`set -e\n${blocks.map((block) => block.code).join('')}`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^(?:\S+Z\t\w+\t.+\n)+$/)
  },
)
