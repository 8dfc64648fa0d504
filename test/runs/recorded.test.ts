/** What later commands make of a run that is on record: of its key, its merges in doubt, its damage and its end. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, begun, unsent, fresh, absent, shown, svc } = world
const { store } = world.sandbox
const tickets = world.sandbox.examples.assignableTickets

/** The beginning of a file up to its `run` line: what a kill may leave of a head. */
function cutHead(path: string) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, text.indexOf('\n', text.indexOf('"t":"run"')) + 1))
}

describe('a head that is not whole', () => {
  it('leaves its number to the next command, also with --new-run', async () => {
    const line = `contacts delete ${fresh(2).join(' ')} --yes`
    const { state, run, path } = await begun('contacts.delete=401', line)
    cutHead(path)
    const ended = await bulk(`${line} --new-run ${state}`)
    expect(ended).toMatchObject({ code: 0, summary: { run, outcomes: { done: 2 } } })
  })

  it('says what the run is, so another job needs another name', async () => {
    const line = `contacts delete ${fresh(2).join(' ')} --yes --once x`
    const { state, path } = await begun('contacts.delete=401', line)
    cutHead(path)
    const [source, target] = fresh(2)
    const merge = `contacts merge ${source} --into ${target} --yes --once x ${state}`
    expect(await unsent(merge, 2)).toContain('run @x belongs to another job; nothing was sent')
  })
})

describe('merges', () => {
  it('in doubt may be anything in a file whose head is damaged', async () => {
    const [source, target] = fresh(2)
    const line = `contacts merge ${source} --into ${target} --yes`
    const { state, path, run } = await begun('contacts.merge=drop-before', line)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"t":"ids"', '"t":"idz"'))
    const words = `run ${run} is damaged, so it is not known which merges it leaves in doubt`
    expect(await unsent(`${line} --once again ${state}`, 2)).toContain(words)
  })
})

describe('an assign', () => {
  it('that a later answer confirmed can be undone', async () => {
    const [, ticket = ''] = tickets
    const before = store.tickets.assigneeOf(ticket)
    const line = `tickets assign ${ticket} --to ${world.taker(ticket)} --wait 0s`
    const { state, run } = await begun('tickets.assign=drop-before', line)
    expect((await bulk(`${line} ${state}`)).summary.outcomes).toEqual({ done: 1 })
    expect(await bulk(`runs undo ${run} --yes ${state}`)).toMatchObject({ code: 0 })
    expect(store.tickets.assigneeOf(ticket)).toBe(before)
    expect(await shown(run, state)).toMatchObject({ exitCode: 0, due: 0 })
  })
})

it('what the answers of halves count is no share of what is known to be on the list', async () => {
  const [one = '', two = '', added = ''] = fresh(3)
  const state = world.state()
  await bulk(`lists create --name Halves ${state}`).catch(() => undefined)
  await bulk(`lists add-contacts Halves ${one} ${two} ${state}`)
  const line = `lists add-contacts Halves ${one} ${two} ${added} ${absent(1).join('')} --new-run`
  const ended = await world.under('lists.add-contacts:3=400', `${line} --concurrency 1 ${state}`)
  expect(ended.summary).toMatchObject({ added: 1, outcomes: { done: 2, unknown: 2 } })
  expect(ended.stderr).toContain('note: the answers count 1 as added\n')
})

describe('a finished run', () => {
  it('says again what is not certain', async () => {
    const line = `contacts delete ${fresh(1).join('')} --yes --once g`
    const { state } = await begun('contacts.delete:1=drop-after-apply', line)
    const words = 'between 0 and 1 were deleted by this run'
    expect((await bulk(`${line} ${state}`)).stderr).toContain(words)
    expect((await svc(`runs show @g ${state}`)).stderr).toContain(words)
  })

  it('is told of by a dry run of the same job', async () => {
    const [line, state] = [`contacts delete ${fresh(1).join('')}`, world.state()]
    await bulk(`${line} --yes ${state}`)
    const { stderr } = await svc(`${line} --dry-run ${state}`)
    expect(stderr).toContain('note: a run of the same job ended on ')
    await bulk(`${line} --yes --once d ${state}`)
    const named = await svc(`${line} --once d --dry-run ${state}`)
    expect([named.stdout, named.stderr]).toEqual(['', expect.stringContaining('nothing would be')])
  })
})

it('a run that was not printed is told by its outcomes, and ends with 7', async () => {
  const { state, run, path } = await begun('', `contacts delete ${fresh(1).join('')} --yes`)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, text.lastIndexOf('\n{') + 1))
  expect(await shown(run, state)).toMatchObject({ status: 'complete', exitCode: 7, due: 0 })
})

it('an undo leaves a ticket that somebody else has meanwhile', async () => {
  const [ticket = ''] = tickets.slice(6)
  const before = store.tickets.assigneeOf(ticket)
  const taker = world.taker(ticket)
  const { state, run } = await begun('', `tickets assign ${ticket} --to ${taker}`)
  const other = world.able.find((id) => id !== before && id !== taker)
  await bulk(`tickets assign ${ticket} --to ${other}`)
  const undone = await bulk(`runs undo ${run} --yes ${state}`)
  expect(undone).toMatchObject({ code: 3, summary: { outcomes: { kept: 1 } } })
  expect(store.tickets.assigneeOf(ticket)).toBe(other)
})

it('an undo that cannot begin leaves its run as it is', async () => {
  const [ticket = ''] = tickets.slice(7)
  const line = `tickets assign ${ticket} --to ${world.taker(ticket)} --once give`
  const { state, path } = await begun('', line)
  await bulk(`runs undo give --yes ${state}`)
  rmSync(path)
  await bulk(`${line} ${state}`)
  const refused = await unsent(`runs undo give --yes ${state}`, 2)
  expect(refused).toMatch(/it undid another run of the same name.*\n.*move its file away:/)
  expect(await shown('give', state)).toMatchObject({ exitCode: 0 })
})

it('a single change has its own code when nobody reads it', async () => {
  const [ticket = ''] = tickets.slice(8)
  const gone = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(''), { code: 'EPIPE' })),
  })
  world.sandbox.setFaults('tickets.assign=400')
  const line = `tickets assign ${ticket} --to ${world.taker(ticket)} ${world.state()}`
  expect((await svc(line, { stdout: gone })).code).toBe(1)
  world.sandbox.setFaults()
})

it('a run that never began is no run', async () => {
  const line = `contacts delete ${fresh(1).join('')} --yes`
  const { state, run, path } = await begun('contacts.delete=401', line)
  cutHead(path)
  for (const verb of ['show', 'export', 'resume'])
    expect((await svc(`runs ${verb} ${run} ${state}`)).code).toBe(1)
})
