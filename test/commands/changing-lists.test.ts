/** Reads of lists that others change while they are read: nobody who stays is missing, or the output says that it is incomplete. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld, errorOf } from '../svc.ts'

/** Called before each request is answered, with the number of those for pages of VIP that came before it. */
let change: (pages: number) => void = () => undefined
let pages = 0
const world = await createSandboxWorld({
  contacts: 700,
  onRequest: ({ url }) => {
    if (!url.includes(list)) return
    change(pages)
    pages += 1
  },
})
const { svc, sandbox, folder } = world
const { list } = sandbox.examples
const { store } = sandbox

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')
const members = (): string[] => [...store.memberIds(list)]
const outsiders = [...store.contacts()].map(({ id }) => id).filter((id) => !members().includes(id))

const people = join(folder, 'people.csv')
const emails = members()
  .flatMap((id) => store.contact(id)?.identities['email'] ?? [])
  .filter((email) => /^[\w.+-]+@[\w.-]+$/.test(email))
writeFileSync(people, ['Email', ...emails, ''].join('\n'))
const ids = join(folder, 'members.ids')
writeFileSync(ids, `${members().join('\n')}\n`)

/** Each way that somebody changes a list: one who was read leaves, one who was not, somebody joins, or moves to the front. */
const changes: Readonly<Record<string, () => void>> = {
  'the newest leaves': () => store.leave(list, newest()),
  'the oldest leaves': () => store.leave(list, members()[0] ?? ''),
  'one joins': () => joinList(outsiders.pop() ?? ''),
  'one moves to the front': () => {
    const [moving = ''] = members().slice(members().length / 2)
    store.leave(list, moving)
    joinList(moving)
  },
}

function newest(): string {
  return members().at(-1) ?? ''
}

function joinList(id: string): void {
  store.change('lists.add-contacts', { contactIds: [id] }, { listId: list })
}

/** Whether an output says that it is incomplete: by its last line of ids, by an open document of JSON. */
function isOpen(stdout: string): boolean {
  if (!/^[[{]/.test(stdout)) return /^# ?incomplete:/.test(linesOf(stdout).at(-1) ?? '')
  try {
    JSON.parse(stdout)
    return false
  } catch {
    return true
  }
}

/** Runs a command while `change` is made before some of its pages. Ids of contacts that its output has. */
async function idsDuring(line: string, changesAt: (pages: number) => boolean, how: () => void) {
  pages = 0
  change = (count) => changesAt(count) && how()
  const result = await svc(line)
  change = () => undefined
  return { ...result, ids: new Set(result.stdout.match(/\b[0-9a-f]{24}\b/g)) }
}

const reads = [
  'lists members VIP -o ids',
  'contacts list --in VIP -o ids',
  `contacts get --file ${ids} --in VIP -o ids`,
  'contacts find --name anna --in VIP -o ids',
  `contacts match --file ${people} --in VIP -o ids`,
  'contacts duplicates --in VIP --json',
  `api lists/${list} --paginate --query limit=100`,
]

describe.each(reads)('%s', (line) => {
  test.each(Object.entries(changes))(
    '%s before one of the pages: nobody who stays is missing',
    async (_, how) => {
      // Every page, and the requests around them, of the first read; the seam after the first one of the others.
      for (const page of line === reads[0] ? [0, 1, 2, 3, 4] : [1]) {
        const before = await idsDuring(line, () => false, how)
        const during = await idsDuring(line, (count) => count === page, how)
        expect([0, 3]).toContain(during.code)
        const left = [...before.ids].filter((id) => members().includes(id))
        expect(left.filter((id) => !during.ids.has(id))).toEqual([])
      }
    },
  )

  test('somebody leaves before every page: the output is incomplete', async () => {
    const leave = (): void => {
      store.leave(list, newest())
    }
    const { code, stdout, stderr } = await idsDuring(line, () => true, leave)
    expect(code).toBe(7)
    expect(stderr).toContain('changed each of the 4 times they were read: some may be missing')
    expect(isOpen(stdout)).toBe(true)
  })
})

test('one who left before page 2 puts nobody on the list of those to delete', async () => {
  const all = join(folder, 'all.ids')
  writeFileSync(all, `${members().join('\n')}\n`)
  const leaving = newest()
  const { stdout } = await idsDuring(
    'lists members VIP -o ids',
    (count) => count === 1,
    () => store.leave(list, leaving),
  )
  const staying = join(folder, 'staying.ids')
  writeFileSync(staying, stdout)
  expect(await svc(`ids subtract ${all} ${staying}`)).toMatchObject({ code: 0, stdout: '' })
})

test('with --limit and --page one pass is enough, and a change is told', async () => {
  const leave = (): void => {
    store.leave(list, newest())
  }
  const { code, stderr } = await idsDuring(
    'lists members VIP --limit 150 -o ids',
    (n) => n > 0,
    leave,
  )
  expect([code, pages]).toEqual([0, 2])
  expect(stderr).toMatch(/the number of members changed from \d+ to \d+ while they were read/)
  expect((await idsDuring('lists members VIP --page 2 -o ids', () => true, leave)).code).toBe(0)
})

test('a name is looked for until no list can be missing', async () => {
  const busy = await createSandboxWorld({
    contacts: 100,
    onRequest: ({ url }) => url.startsWith('/v1/lists?') && create(),
  })
  const create = (): void => {
    busy.sandbox.store.change('lists.create', { name: 'Another' })
  }
  for (let n = 0; n < 120; n += 1) create()
  const { code, stdout, stderr } = await busy.svc('lists get "No such list" --json')
  expect([code, stdout]).toEqual([7, ''])
  expect(errorOf({ stderr })['message']).toContain('the lists changed each of the 4 times')
})
