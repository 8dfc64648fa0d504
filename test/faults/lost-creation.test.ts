/** A network disk that creates a file exclusively and loses the answer: the creation is made again, and finds the file or folder. */
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createBulkWorld } from '../runs/bulk-world.ts'
import type { Disk } from '../../src/world.ts'

const world = await createBulkWorld()

/** A disk that loses the answer of one exclusive creation, by its number from 1, and what that created. */
function losing(number: number) {
  let count = 0
  let lost: string | undefined
  const isLost = (path: unknown): boolean => {
    count += 1
    if (count !== number) return false
    lost = String(path)
    return true
  }
  const thereAlready = () => Object.assign(new Error('EEXIST'), { code: 'EEXIST' })
  async function create<T>(path: unknown, work: () => Promise<T>): Promise<T> {
    const result = await work()
    if (!isLost(path)) return result
    if (isFile(result)) await result.close()
    throw thereAlready()
  }
  function createSync<T>(path: unknown, work: () => T): T {
    const result = work()
    if (isLost(path)) throw thereAlready()
    return result
  }
  const disk = (real: Disk): Disk => ({
    ...real,
    mkdirSync: (...words: Parameters<Disk['mkdirSync']>) =>
      createSync(words[0], () => real.mkdirSync(...words)),
    openSync: (...words) =>
      isExclusive(words[1])
        ? createSync(words[0], () => real.openSync(...words))
        : real.openSync(...words),
    writeFileSync: (...words) =>
      isExclusive(flagIn(words[2]))
        ? createSync(words[0], () => real.writeFileSync(...words))
        : real.writeFileSync(...words),
    promises: {
      ...real.promises,
      open: (...words) =>
        isExclusive(words[1])
          ? create(words[0], () => real.promises.open(...words))
          : real.promises.open(...words),
      link: (from, to) => create(to, () => real.promises.link(from, to)),
      // A folder that may be there is no exclusive creation.
      mkdir: ((...words: Parameters<Disk['promises']['mkdir']>) =>
        typeof words[1] === 'object' && words[1]?.recursive === true
          ? real.promises.mkdir(...words)
          : create(words[0], () => real.promises.mkdir(...words))) as Disk['promises']['mkdir'],
    },
  })
  return { disk, lost: () => lost }
}

const isFile = (value: unknown): value is FileHandle =>
  typeof value === 'object' && value !== null && 'close' in value

const isExclusive = (flags: unknown): boolean =>
  typeof flags === 'number'
    ? (flags & constants.O_EXCL) !== 0
    : typeof flags === 'string' && flags.includes('x')

const flagIn = (options: unknown): unknown =>
  typeof options === 'object' && options !== null && 'flag' in options ? options.flag : undefined

/** Every creation of a command loses its answer, one after the other: the exit code, by what was created. */
async function eachLost(
  line: () => string,
  repeat: (words: string) => Promise<unknown> = async () => undefined,
) {
  const codes = new Map<string, number>()
  for (let number = 1; ; number += 1) {
    const { disk, lost } = losing(number)
    const words = withState(line())
    const { code, stderr } = await world.svc(words, { disk, fast: true, showsWaits: true })
    const path = lost()
    if (path === undefined) return { codes: Object.fromEntries(codes), code }
    expect([path, stderr]).toEqual([path, expect.not.stringContaining('defect')])
    const name = path.replace(/^.*[/]/, '')
    codes.set(
      name.replaceAll(
        /[0-9a-f]{16}|out-\d+|merge-[0-9a-f]{12}\.\d+|\d+t\d+z-\w{4}|\d+-[\d.]+(?=\.turn)/gi,
        '…',
      ),
      code,
    )
    await repeat(words)
  }
}

const withState = (line: string): string =>
  line.includes('--state-dir') ? line : line.replace(/(?= --)|$/, ` ${world.state()}/new`)

/** Folders that every run creates. */
const record = { new: 0, runs: 0 }

test('a run is done or ends with 1, and can be repeated', async () => {
  const line = () =>
    `contacts delete ${world.fresh(2).join(' ')} --once job --yes --skip-invalid --receipts ${world.output()}`
  const { code, codes } = await eachLost(line, async (words) => {
    const { summary } = await world.bulk(words.replace(/ --skip-invalid .*/, ''))
    expect(summary).toMatchObject({ exitCode: 0, outcomes: { done: 2 } })
  })
  // The lines in the file of the job decide, no matter who made it.
  const created = { ...record, '@job.ndjson': 0, '.svc-….part': 1 }
  expect([code, codes]).toEqual([0, created])
})

const others: readonly (readonly [what: string, line: () => string, codes: object])[] = [
  [
    'one change',
    () => `contacts merge ${world.fresh(1).join('')} --into ${world.free.at(-1) ?? ''} --yes`,
    { ...record, '….ndjson': 0 },
  ],
  [
    'a file of what is read',
    () => `lists list --out ${world.output('csv')}`,
    { '.svc-….part': 2, '….csv': 2 },
  ],
]

test.each(others)('%s: it is done, or another place has to be named', async (_, line, expected) => {
  const { code, codes } = await eachLost(line)
  expect([code, codes]).toEqual([0, expected])
})

test('one change whose last line cannot be written is told as made, and typed again it tells the same and sends nothing', async () => {
  const [source = ''] = world.fresh(1)
  const line = `contacts merge ${source} --into ${world.free.at(-1) ?? ''} --yes ${world.state()} --json`
  let refused = 0
  const first = await world.svc(line, {
    disk: (real) => ({
      ...real,
      writeSync: ((file: number, bytes: Buffer) => {
        if (!bytes.includes('"t":"end"')) return real.writeSync(file, bytes)
        refused += 1
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      }) as Disk['writeSync'],
    }),
  })
  const sent = world.sandbox.record.entries.length
  const again = await world.svc(line)
  const done = { exitCode: 0, outcomes: { done: 1 } }
  expect([first.code, again.code, refused]).toEqual([0, 0, 1])
  for (const { stdout } of [first, again]) expect(JSON.parse(stdout)).toMatchObject(done)
  expect(world.sandbox.record.entries).toHaveLength(sent)
})
