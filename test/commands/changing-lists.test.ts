/** Reads of lists that others change while they are read: nobody who stays is missing, or there is no output that could be taken for whole. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { limits } from '../../src/api/operations.ts'
import { atEnd } from '../ending.ts'
import { amount } from '../amount.ts'
import { randomOf } from '../random.ts'
import { createSandboxWorld, type Result } from '../svc.ts'

// Pages of two rows, so that a few members are many pages.
const usual = { ...limits.pageSize }
Object.assign(limits.pageSize, { max: 2, default: 2 })
atEnd(() => Object.assign(limits.pageSize, usual))

/** Called before each request for lists or their members is answered. */
let beforeRequest: (url: string) => void = () => undefined
const world = await createSandboxWorld({
  shown: /^(?:VIP|Another|Campaign 2.*)$/,
  onRequest: (url) => beforeRequest(url),
})
const { sandbox, folder } = world
const { store } = sandbox
const svc = (line: string): Promise<Result> => world.svc(line)
const { list } = sandbox.examples

const members = (): string[] => [...store.memberIds(list)]

const contacts = store.contactIds()
/** Members of VIP before each read, oldest first: four pages. The first and the last are not called Mary. */
const atFirst = [0, 5, 8, 1, 21, 28, 3, 2].map((position) => contacts[position] ?? '')
const outsider = contacts[10] ?? ''
for (const [n, id] of atFirst.entries()) {
  const person = store.contact(id)
  if (person === undefined) throw new Error('there is no such contact')
  person.firstName = [1, 2, 4, 5].includes(n) ? 'Mary Jane' : 'Anna'
  person.identities = { ...person.identities, email: n < 6 ? [`${id}@example.com`] : [] }
}
shareOnePhone([5, 8, 21, 28])

function shareOnePhone(positions: readonly number[]): void {
  for (const position of positions)
    Object.assign(store.contact(contacts[position] ?? '')?.identities ?? {}, {
      phone: ['+15550001111'],
    })
}

const people = join(folder, 'people.csv')
const emails = atFirst.flatMap((id) => store.contact(id)?.identities['email'] ?? [])
writeFileSync(people, ['Email', ...emails, ''].join('\n'))
const ids = join(folder, 'members.ids')
writeFileSync(ids, `${atFirst.join('\n')}\n`)

function reset(): void {
  for (const id of members()) store.leave(list, id)
  for (const id of atFirst) joinList(id)
}
beforeEach(reset)

/** Each way that somebody changes a list: one who was read leaves, one who was not, somebody joins, or moves to the front. */
const changes: Readonly<Record<string, () => void>> = {
  'the newest leaves': leave,
  'the oldest leaves': () => store.leave(list, members()[0] ?? ''),
  'one joins': () => joinList(outsider),
  'one moves to the front': () => {
    const [moving = ''] = members().slice(members().length / 2)
    store.leave(list, moving)
    joinList(moving)
  },
}

/** The newest member leaves. */
function leave(): void {
  store.leave(list, members().at(-1) ?? '')
}

function joinList(id: string): void {
  store.change('lists.add-contacts', { contactIds: [id] }, list)
}

/** Runs a command while `change` is made before some of its pages, which are numbered from 0. Ids of contacts that its output has. */
async function idsDuring(
  line: string,
  changesAt: (page: number) => boolean = () => false,
  change: (page: number) => void = () => undefined,
) {
  let pages = 0
  beforeRequest = (url) => {
    if (!url.includes(list)) return
    if (changesAt(pages)) change(pages)
    pages += 1
  }
  const result = await svc(line)
  beforeRequest = () => undefined
  return { ...result, pages, ids: new Set(result.stdout.match(/\b[0-9a-f]{24}\b/g)) }
}

/** The figures have every seam of every read. */
const seams = amount(1)

/** Commands, and how many members their whole output has. */
const reads: readonly (readonly [string, number])[] = [
  ['lists members VIP -o ids', 8],
  ['contacts list --in VIP -o ids', 8],
  [`contacts get --file ${ids} --in VIP -o ids`, 8],
  ['contacts find --name mary --in VIP -o ids', 4],
  [`contacts match --file ${people} --in VIP -o ids`, 6],
  ['contacts duplicates --in VIP --json', 4],
]

describe.each(reads)('%s', (line, count) => {
  let whole = new Set<string>()
  beforeAll(async () => {
    reset()
    whole = (await idsDuring(line)).ids
  })

  test('a list that nobody changes', () => {
    expect(atFirst.filter((id) => whole.has(id))).toHaveLength(count)
  })

  test.each(Object.entries(changes))(
    '%s before one of the pages: nobody who stays is missing',
    async (_, change) => {
      // Every page, and the requests around them, of the first read; the seam after the first one of the others.
      for (const page of line.startsWith('lists members') || seams > 1 ? [0, 1, 2, 3, 4, 5] : [1]) {
        reset()
        const during = await idsDuring(line, (n) => n === page, change)
        expect([0, 3]).toContain(during.code)
        const stayed = [...whole].filter((id) => members().includes(id))
        const missing = stayed.filter((id) => !during.ids.has(id))
        expect(missing).toEqual([])
      }
    },
  )

  test('somebody leaves or joins before every page: no output is taken for whole', async () => {
    const { code, stdout, stderr } = await idsDuring(
      line,
      () => true,
      (page) => (page % 2 === 0 ? leave() : joinList(outsider)),
    )
    expect(code).toBe(7)
    expect(stderr).toContain('changed each of the 4 times that they were read: some may be missing')
    expect(stdout).toBe('')
  })
})

test('up to four writers change the list before each page: nobody who stays is missing', async () => {
  const random = randomOf(94)
  const below = (limit: number) => Math.floor(random() * limit)
  for (let reads = 0; reads < 20 * seams; reads += 1) {
    reset()
    const left = new Set<string>()
    const [writers, pace] = [1 + below(4), random() / 2]
    const write = () => {
      if (random() < pace) joinList(contacts[below(contacts.length)] ?? '')
      const leaving = members()[below(members().length)] ?? ''
      if (random() > pace / 2) return
      store.leave(list, leaving)
      left.add(leaving)
    }
    const change = () => void Array.from({ length: writers }, write)
    const during = await idsDuring('lists members VIP --json', () => true, change)
    if (during.code === 7) continue
    const missing = atFirst.filter((id) => !left.has(id) && !during.ids.has(id))
    expect([during.code, missing]).toEqual([0, []])
  }
})

test('a name is looked for until no list can be missing', async () => {
  beforeRequest = (url) => {
    if (url.startsWith('/v1/lists?')) store.change('lists.create', { name: 'Another' })
  }
  const { code, stdout, stderr } = await svc('lists get "No such list" --json')
  beforeRequest = () => undefined
  expect([code, stdout]).toEqual([7, ''])
  expect(stderr).toContain('the lists changed each of the 4 times')
})
