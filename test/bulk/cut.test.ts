/**
 * A journal that was cut anywhere and resumed: what is claimed is compared with what the service did. A request leaves only
 * when its `try` is whole on disk, so the service that is found has carried out the requests whose `try` is in what is left.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../sandbox/watched.ts'
import { figure, howMany } from '../figures/figure.ts'
import { createWorld } from '../svc.ts'
import { linesOf, type ReceiptLine, type SummaryDocument } from './bulk-world.ts'
import { idOf } from '../ids/inputs.ts'

const contacts = 40
const world = createWorld()

function envOf({ baseUrl, keys: [key] }: Sandbox): Record<string, string> {
  return { SVC_BASE_URL: baseUrl, SVC_API_KEY: key?.apiKey ?? '', SVC_API_SECRET: key?.apiSecret ?? '' }
}

/** A contact to delete, one that has chats, and an id that nobody has. */
function inputOf({ store }: Sandbox): string[] {
  const all = [...store.contacts()]
  return [...[false, true].map((chat) => all.find((contact) => contact.chat === chat)?.id ?? ''), idOf(1)]
}

/** Within a line one cut is like another: all around its end, and some in between. `npm run figures -- journal` does all. */
const step = howMany('CUT_STEP', 101)
const isTried = (length: number, ends: readonly number[]): boolean =>
  length % step === 0 || ends.some((end) => Math.abs(end - length) <= 1)

it('resumes wherever it was cut, and says of each id what the service did', { timeout: 300_000 }, async () => {
  const first = await startSandbox({ contacts, faults: 'contacts.delete:1=429(retry-after=0)' })
  const { port } = first
  const ids = inputOf(first)
  const state = join(world.folder, 'state')
  const env = envOf(first)
  const begun = await world.svc(`contacts delete ${ids.join(' ')} --yes --json --state-dir ${state}`, {
    env,
    fast: true,
  })
  await first.close()
  const { run, result } = JSON.parse(begun.stdout) as SummaryDocument
  expect(result).toMatchObject({ deleted: 1, blocked: 1, notFound: 1 })
  const bytes = readFileSync(join(state, 'runs', run ?? '', 'journal.ndjson'))
  const [head = '', ...lines] = bytes.toString().trimEnd().split('\n')
  const kinds = lines.map((line) => (JSON.parse(line) as { t: string }).t)
  expect(kinds).toEqual(['try', 'res', 'try', 'res', 'end'])

  /** Where each line ends, its line end included. */
  const ends: number[] = []
  let end = head.length + 1
  for (const line of lines) ends.push((end += line.length + 1))

  for (let length = head.length + 1; length <= bytes.length; length += 1) {
    if (!isTried(length, [head.length + 1, ...ends])) continue
    const [tried, refused, triedAgain, answered] = ends.map((at) => length >= at)
    const sandbox = await startSandbox({ contacts, port })
    // The first attempt was refused.
    if (triedAgain === true) sandbox.store.change('contacts.delete', { contactIds: ids })
    const folder = join(world.folder, 'cut')
    rmSync(folder, { recursive: true, force: true })
    cpSync(state, folder, { recursive: true })
    const dir = join(folder, 'runs', run ?? '')
    writeFileSync(join(dir, 'journal.ndjson'), bytes.subarray(0, length))
    const { code, stdout, stderr } = await world.svc(`runs resume ${run} --yes -o ndjson --state-dir ${folder}`, {
      env,
      fast: true,
    })
    const deletions = sandbox.record.of('contacts.delete').length
    await sandbox.close()
    const outcomes = linesOf<ReceiptLine>(stdout).map(({ outcome }) => outcome)
    const isLost = answered !== true && (triedAgain === true || (tried === true && refused !== true))
    const isTold = stderr.includes('cut off')
    expect({ length, isTold, code, deletions, outcomes }).toEqual({
      length,
      isTold: ![head.length + 1, ...ends].includes(length),
      code: 3,
      deletions: answered === true ? 0 : 1,
      outcomes: [triedAgain === true && isLost ? 'gone' : 'deleted', 'blocked', isLost ? 'gone' : 'not-found'],
    })
    expect(readdirSync(dir).toSorted()).toEqual(['ids', 'journal.ndjson', 'lines', 'run.json'])
    figure('journals cut at a byte and resumed', 1)
  }
})

it('a journal without its first line is that of no run', async () => {
  const sandbox = await startSandbox({ contacts })
  const [one = ''] = inputOf(sandbox)
  const env = envOf(sandbox)
  const state = join(world.folder, 'unbegun')
  await world.svc(`contacts delete ${one} --yes --state-dir ${state}`, { env })
  const [run = ''] = readdirSync(join(state, 'runs'))
  const path = join(state, 'runs', run, 'journal.ndjson')
  const head = readFileSync(path).indexOf('\n')
  const bytes = readFileSync(path)
  for (const length of [0, 1, head - 1, head]) {
    writeFileSync(path, bytes.subarray(0, length))
    const { code, stdout, stderr } = await world.svc(`runs resume ${run} --yes --state-dir ${state}`, { env })
    expect({ length, code, stdout }).toEqual({ length, code: 2, stdout: '' })
    expect(stderr).toContain('never began, or was removed')
    expect((await world.svc(`runs list --json --state-dir ${state}`, { env })).stdout).toBe('[]\n')
  }
  // As a process leaves it that was killed before it had written anything.
  for (const name of readdirSync(dirname(path))) rmSync(join(dirname(path), name))
  for (const verb of ['resume', 'show', 'export']) {
    const { code, stderr } = await world.svc(`runs ${verb} ${run} --state-dir ${state}`, { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining('never began, or was removed')])
  }
  expect(sandbox.record.of('contacts.delete')).toHaveLength(1)
  await sandbox.close()
})
