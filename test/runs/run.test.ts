/** How recorded runs begin, go on and stop. Crashes are in `test/steps`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Options } from '../support/svc.ts'
import { table } from '../support/table.ts'
import { createBulkWorld } from '../support/bulk-world.ts'
import { changeRecord, opening } from '../support/record.ts'
import { typing } from '../support/streams.ts'
import { hostWith, realHost } from '../support/real-host.ts'
import { Locks } from '../../src/runs/locks.ts'
import { RunRecord } from '../../src/runs/record.ts'
import type { Fault } from '../../src/sandbox/faults.ts'

let meanwhile = async () => {}
const held: Fault = async (apply, now) => {
  await meanwhile()
  return apply(now)
}
const world = await createBulkWorld({ moreFaults: { held } })
const { bulk, begun, unsent, fresh, since, svc, sandbox, recordIn } = world
const { list, emptyList, assignableTickets } = sandbox.examples
afterEach(() => sandbox.setFaults())

const limited: Options = { env: world.as('limited-history') }
const elsewhere: Options = { env: { SVC_BASE_URL: `${sandbox.baseUrl}/other` } }
const deleteOf = (...ids: string[]) => `contacts delete ${ids.join(' ')} --yes`
const mergeOf = (source: string, target: string) =>
  `contacts merge ${source} --into ${target} --yes`
async function lostMerge(more = '') {
  const [source = '', target = ''] = fresh(2)
  const line = `${mergeOf(source, target)} ${more}`
  return { source, target, ...(await begun('contacts.merge=drop-before', line)) }
}
/** A run of which nothing was sent, because there was no connection. */
const stopped = (line: string, more?: Options) =>
  begun('contacts.delete=503 lists.add-contacts=503 contacts.merge=429', line, more)

it('two runs of one second that draw the same digits have ids of their own', async () => {
  const drawn: Options = {
    now: Date.UTC(2026, 2, 1, 10, 15, 7),
    randomBytes: (size) => (size === 2 ? Buffer.from('ffff', 'hex') : realHost.randomBytes(size)),
  }
  const { state, run } = await begun('', deleteOf(...fresh(1)), drawn)
  const { summary } = await bulk(`${state} ${deleteOf(...fresh(1))}`, drawn)
  expect([run, summary.run]).toEqual(['07', '08'].map((s) => `delete-20260301-1015${s}-ffff`))
})

describe('--once', () => {
  it('goes on with its run, also with the ids in another order and letter case, and then prints its result again', async () => {
    const [one = '', two = ''] = fresh(2)
    const { state, code } = await stopped(`${deleteOf(one, two)} --once Nightly.1`)
    expect(code).toBe(7)
    const line = `${state} ${deleteOf(two.toUpperCase(), one)} --once nightly.1`
    const done = { once: 'Nightly.1', outcomes: { done: 2 }, exitCode: 0, status: 'ended' }
    expect((await bulk(line)).summary).toMatchObject(done)
    const { ended, sent } = await since(() => bulk(line))
    expect([sent, ended.summary]).toEqual([0, expect.objectContaining(done)])
    expect(ended.stderr).toMatch(/run Nightly.1 ended on .*; this command sent nothing/)
  })

  it('accepts what its run began with: another --accept is refused', async () => {
    const [id = ''] = world.absent(1)
    const line = `${deleteOf(id)} --once a`
    const { state, code } = await begun('', `${line} --accept not-found`)
    expect(code).toBe(0)
    for (const repeated of [`${line} --accept not-found`, line, 'runs show a'])
      expect((await svc(`${state} ${repeated}`)).code).toBe(0)
    const told = await unsent(`${state} ${line} --accept blocked`, 2)
    expect(told).toContain('run a began with --accept not-found; nothing was sent')
    const plain = await begun('', line)
    expect(plain.code).toBe(3)
    const more = await unsent(`${plain.state} ${line} --accept not-found`, 2)
    expect(more).toContain('run a began with no --accept; nothing was sent')
  })

  it('a name that another list has by now is another job', async () => {
    const line = `lists add-contacts Moved ${fresh(1).join('')} --once moved`
    await svc('lists create Moved')
    const { state } = await begun('', line)
    await svc('lists update Moved --name Former')
    await svc('lists create Moved')
    expect(await unsent(`${state} ${line}`, 2)).toContain('belongs to a different job')
  })

  const [one = '', two = ''] = fresh(2)
  it.each(
    table(`
    lists add-contacts ${list} ${one} ${two}                       | this command: add 2 contacts
    lists add-contacts ${list} ${two}                              | this command: add contact ${two}
    lists add-contacts ${emptyList} ${one}                         | recorded: add contact ${one} to "VIP"
    contacts delete ${one} --yes                                   | this command: delete contact ${one}`),
  )('is another job: %s: %s', async (line = '', words = '') => {
    const { state } = await stopped(`lists add-contacts ${list} ${one} --once x`)
    for (const more of ['', '--dry-run'])
      expect(await unsent(`${state} ${line} --once x ${more}`, 2)).toContain(words)
  })

  it('an input without ids is a job of its own: a run of 0 ids, which ids do not go on with', async () => {
    const file = world.file('ids.csv', ['id', ...fresh(2)])
    const line = `contacts delete --file ${file} --yes --once emptied`
    const { state } = await stopped(line)
    const ids = readFileSync(file)
    writeFileSync(file, 'id\n')
    const jobs = 'recorded: delete 2 contacts\n  this command: delete 0 contacts'
    expect(await unsent(`${state} ${line}`, 2)).toContain(jobs)
    const path = world.output()
    const other = `${state} ${line.replace('emptied', 'other')} --receipts ${path}`
    for (const words of ['there was nothing to do', 'run other ended on'])
      expect(await unsent(other, 0)).toContain(words)
    expect(readFileSync(path, 'utf8')).toMatch(/^id,OUTCOME,REASON,AT\n$/)
    writeFileSync(file, ids)
    const told = await unsent(other.replace(/--receipts.*/, ''), 2)
    expect(told).toContain('to forget that run, which changed nothing:\n    svc runs remove other')
  })
})

describe('a run of another key or service', () => {
  it.each([
    ['of another key, stopped', limited, 'started with a different key'],
    ['of another service, finished', elsewhere, 'sent\n  set SVC_BASE_URL to http'],
    ['of another key, without ids', limited, 'started with a different key'],
  ])('is exit 2, and nothing is sent: %s', async (kind, other, words) => {
    const ids = kind.includes('without') ? `--file ${world.file('none.csv', ['id'])}` : fresh(1)[0]
    const line = `lists add-contacts ${emptyList} ${ids} --once x`
    const { state } = kind.includes('stopped') ? await stopped(line) : await begun('', line)
    expect(await unsent(`${state} runs resume x --yes`, 2, other)).toContain(words)
    // Two companies have one name for a job: neither is told to remove what the other has.
    for (const again of [line, `${line} --dry-run`]) {
      const told = await unsent(`${state} ${again}`, 2, other)
      expect(told).toMatch(
        /belongs to a different job.*\n.*it (?:started with a different key|is on http).*\n.*another name with --once\n$/,
      )
    }
  })

  it('goes on with a new key under the same profile name, and says so', async () => {
    const [apiKey, apiSecret] = ['SVC_API_KEY', 'SVC_API_SECRET'].map((name) => limited.env?.[name])
    const line = `${world.state()} ${deleteOf(...fresh(1))} --once x`
    expect((await bulk(line, { profile: {}, faults: 'contacts.delete=503' })).code).toBe(7)
    expect(await unsent(line, 2, limited)).toContain('it started with a different key')
    const ended = await bulk(line, { profile: { apiKey, apiSecret } })
    expect(ended.stderr).toContain('this run started with a different key')
    expect(ended.code).toBe(0)
  })
})

it('beside -p, a run of another profile, or of none, is exit 2', async () => {
  const of = { profile: {} }
  const { state } = await begun('', `${deleteOf(...fresh(1))} --once own`, of)
  await bulk(`${state} ${deleteOf(...fresh(1))} --once none`)
  for (const verb of ['show', 'export']) {
    expect((await svc(`${state} runs ${verb} own -p prod`, of)).code).toBe(0)
    const told = await unsent(`${state} runs ${verb} none -p prod`, 2, of)
    expect(told).toContain('run none was started without a profile')
  }
})

describe('ids that are open in another run', () => {
  const [a = '', b = '', c = ''] = fresh(3)
  it.each(
    table(`
    ${deleteOf(a, b)}                        | ${mergeOf(c, b)}                         | 7
    ${deleteOf(a, b)}                        | ${mergeOf(c, b.toUpperCase())}           | 7
    lists add-contacts ${emptyList} ${a}     | ${mergeOf(a, c)}                         | 7`),
  )('due: %s, then %s: exit %s', async (first = '', second = '', code) => {
    const { state, run } = await stopped(first)
    for (const more of ['', '--dry-run']) {
      const told = await unsent(`${state} ${second} ${more}`, Number(code))
      const words = `run ${run} .* is unfinished and still has 1 of these ids`
      expect(told).toMatch(new RegExp(words))
      expect(told).toContain(`svc runs resume ${run}\n`)
      expect(told).toContain(`svc runs close ${run}\n`)
    }
  })

  it('are no reason against an add or a delete, and none of another service', async () => {
    const { state } = await stopped(deleteOf(a))
    const add = await bulk(`${state} lists add-contacts ${emptyList} ${a}`)
    expect(add.code).toBe(0)
    expect(add.stderr).toContain('is unfinished, with 1 open id')
    expect((await svc(`${state} ${deleteOf(a)} --dry-run`)).code).toBe(0)
    const { stderr } = await svc(`${state} ${mergeOf(a, c)} --dry-run`, elsewhere)
    expect(stderr).not.toContain('still has')
  })

  it('of a merge stop a delete, too, which waits until a person has looked', async () => {
    const { state, source, target } = await lostMerge('--once m')
    for (const id of [source, target])
      for (const more of ['', '--dry-run']) {
        const told = await unsent(`${state} ${deleteOf(id)} ${more}`, 2)
        expect(told).toContain('run m (started')
        expect(told).toContain(`svc contacts get ${source} ${target}\n`)
      }
  })

  it('of a run that sent nothing: it can be removed, and no advice names its key', async () => {
    const { state, run, summary } = await begun('contacts.merge=401', mergeOf(a, c))
    expect(summary).toMatchObject({ status: 'unfinished', outcomes: { 'not-sent': 1 } })
    const told = await unsent(`${state} ${mergeOf(a, c)}`, 7)
    expect(told).toContain(`to forget that run, which changed nothing:\n    svc runs remove ${run}`)
    expect(told).not.toContain('SVC_API_KEY')
    expect((await svc(`${state} runs remove ${run} --yes`)).code).toBe(0)
    expect((await svc(`${state} runs list -o ids`)).stdout).toBe('')
  })

  it('are no lists', async () => {
    const { state } = await stopped(`lists add-contacts ${emptyList} ${a}`)
    const { stdout: list } = await svc(`${state} lists get ${emptyList} -o ids`)
    const merge = mergeOf(list.trim(), c)
    expect((await svc(`${state} ${merge} --dry-run`)).code).toBe(0)
  })

  it('are those that are not done', async () => {
    const absent = world.absent(1).join('')
    const add = `lists add-contacts ${emptyList} ${a} ${absent}`
    const { state } = await begun('lists.add-contacts:3=401', add)
    const told = await unsent(`${state} ${mergeOf(absent, c)}`, 7)
    expect(told).toContain('still has 1 of these ids')
    expect((await svc(`${state} ${mergeOf(a, c)} --dry-run`)).code).toBe(0)
  })
})

describe('a run stops', () => {
  const threeFailed = { stop: 'unfinished', message: 'three requests in a row failed' }
  it.each<[string, string, number, object]>([
    ['after three failed requests', '503', 7, { ...threeFailed, due: 9, status: 'unfinished' }],
    ['after three refused', '400', 1, { outcomes: { refused: 6, 'not-sent': 3 } }],
    ['at once, at a 401', '401', 4, { due: 9, stop: 'denied' }],
    ['at once, at a 403 about the plan', '403', 4, { due: 9 }],
    ['when the service asks for a long wait', '429,retry-after=3600', 7, { due: 9 }],
    ['at once, at a login page', 'html', 1, { due: 9, status: 'unfinished', stop: 'failed' }],
  ])('%s', async (_, fault, code, told) => {
    const line = `BATCHES_OF=2 ${deleteOf(...fresh(9))} --wait 0s`
    const ended = await begun(`contacts.delete=${fault}`, line)
    expect([ended.code, ended.summary]).toEqual([code, expect.objectContaining(told)])
  })

  it('at a login page, with the hint of a command that reads', async () => {
    const line = `BATCHES_OF=2 ${deleteOf(...fresh(9))}`
    const faults = 'contacts.delete=html'
    const { ended, sent } = await since(() => bulk(line, { faults }), 'POST')
    expect([sent, ended.code, ended.stderr]).toEqual([
      4,
      1,
      expect.stringMatching(/the answer is not JSON[^]*a proxy or a login page may have answered/),
    ])
  })

  it('after three merges without an answer, but not for those that are refused', async () => {
    const rows = world.absent(4).map((id, at) => `${id},${world.free.at(-1 - at)},yes`)
    const file = world.file('pairs.csv', ['source,target,merge', ...rows])
    const line = `contacts merge --file ${file} --yes`
    const { ended, sent } = await since(() => bulk(line))
    expect([sent, ended.code, ended.summary.outcomes]).toEqual([4, 1, { refused: 4 }])
    const lost = await bulk(line, { faults: 'contacts.merge=drop-before' })
    expect([lost.code, lost.summary.outcomes]).toEqual([7, { 'no-answer': 3, 'not-sent': 1 }])
  })
})

it.each([
  ['an answer for now', '429,retry-after=3600', 7, { 'no-answer': 1 }],
  ['a key that is not taken', '401', 4, { 'no-answer': 1 }],
  // A refusal is an answer, and its reason says that another one was lost.
  ['a refusal, which it becomes', '400', 1, { refused: 1 }],
])('what was not answered stays so under %s', async (_, fault, code, outcomes) => {
  const faults = `contacts.delete:1=drop-before contacts.delete:2+=${fault}`
  const ended = await begun(faults, deleteOf(...fresh(1)))
  expect([ended.code, ended.summary.outcomes]).toEqual([code, outcomes])
})

it('runs resume is never done without a question, also of an add', async () => {
  const { state, run } = await stopped(`lists add-contacts ${emptyList} ${fresh(1).join('')}`)
  expect(await unsent(`${state} runs resume ${run}`, 2)).toContain('cannot ask here')
})

describe('who works on a run', () => {
  it('is the command that has its lock, until it ends', async () => {
    const typed = `${deleteOf(...fresh(1))} --once held`
    const { state } = await stopped(typed)
    const locks = await acquireLock(state)
    const left = `ended = NULL, pid = 7, machine = 'desk', lock = 1, counts = NULL, open = NULL`
    await changeRecord(state, `UPDATE run SET ${left}`)
    const words =
      /process 7 on desk has been working on run held since 2.*; this command changed nothing/
    const lines = ['runs resume held', 'runs close held', 'runs remove held --yes']
    for (const line of [typed, ...lines]) {
      const told = await unsent(`${state} ${line}`, 7)
      expect(told).toMatch(words)
      expect(told).toContain('if it is suspended, continue it, or end it with kill -9')
    }
    const unfinished = () => svc(`${state} runs list --unfinished -o ids`)
    expect((await unfinished()).stdout).toBe('')
    locks.close()
    expect((await unfinished()).stdout).toBe('held\n')
    expect((await svc(`${state} runs resume held --yes`)).code).toBe(0)
  })

  it('is none whose command was killed while another one, which has its lock now, was asking', async () => {
    const { state, run } = await stopped(deleteOf(...fresh(1)))
    await bulk(`${state} ${deleteOf(...fresh(1))} --once asked`, { faults: 'contacts.delete=503' })
    const database = await realHost.openDatabase(recordIn(state))
    const terminal = () => {
      const left = 'lock = 1, ended = NULL, counts = NULL, open = NULL'
      database.exec(`UPDATE run SET ${left} WHERE id = '${run}'`)
      database.close()
      return typing('yes').terminal()
    }
    const asking = { terminal, env: { TERM: 'xterm' } }
    const { code } = await svc(`${state} runs resume asked`, asking)
    const unfinished = (await svc(`${state} runs list --unfinished -o ids`)).stdout
    expect([code, unfinished]).toEqual([0, `${run}\n`])
  })

  it('loses its number when it was killed: before another takes a lock, and with that lock', async () => {
    const { state } = await stopped(deleteOf(...fresh(1)))
    const takeNumber = () => changeRecord(state, 'UPDATE run SET lock = 1')
    const record = new RunRecord(hostWith({ env: { SVC_STATE_DIR: dirname(recordIn(state)) } }))
    const numberNow = () => record.read((reading) => reading.all()[0]?.lock, 0)
    await takeNumber()
    await record.open()
    const lock = await record.acquireLock()
    expect([lock, numberNow()]).toEqual([1, null])
    await takeNumber()
    record.write((writing) => writing.startTurn(0, lock))
    expect(numberNow()).toBe(null)
    record.close()
  })

  it('has the next turn: a resume, and a close', async () => {
    const { state, run } = await stopped(deleteOf(...fresh(1)))
    await svc(`${state} runs resume ${run} --yes`, { faults: 'contacts.delete=503', fast: true })
    await svc(`${state} runs close ${run} --yes`)
    const database = await realHost.openDatabase(recordIn(state))
    expect(database.prepare('SELECT turn FROM run').all()).toEqual([{ turn: 3 }])
    database.close()
  })
})

it('a command whose lock was removed sends nothing more when another took its run', async () => {
  const state = world.state()
  meanwhile = () => changeRecord(state, 'UPDATE run SET turn = turn + 1')
  const typed = `${state} BATCHES_OF=1 ${deleteOf(...fresh(4))} --concurrency 1`
  const faults = 'contacts.delete=held'
  const { ended, sent } = await since(() => svc(typed, { faults }), 'POST')
  expect([ended.code, ended.stdout, sent]).toEqual([1, '', 1])
  expect(ended.stderr).toContain('a lock file next to the run record was removed')
})

async function acquireLock(state: string) {
  const locks = new Locks(realHost, recordIn(state))
  await locks.acquire()
  return locks
}

/** What a command says that asks, and the record changes meanwhile. */
async function unsentWhile(state: string, change: string, line: string, code = 7) {
  const database = await realHost.openDatabase(recordIn(state))
  const terminal = () => {
    database.exec(change)
    database.close()
    return typing('yes').terminal()
  }
  return unsent(`${state} ${line}`, code, { terminal, env: { TERM: 'xterm' } })
}

it.each([
  ['UPDATE run SET turn = 9, lock = 1', 'has been working on run'],
  ['UPDATE run SET turn = 9', 'changed: it is now unfinished, with 1 open id'],
  ['UPDATE run SET turn = 9, lock = 2', 'changed: it is now unfinished, with 1 open id'],
  ["UPDATE run SET stop = 'closed', turn = 9", 'changed: it is now closed'],
  ['DELETE FROM run', 'was removed; this command changed nothing'],
])('a run that changed while a person was asked about it is left: %s', async (change, words) => {
  const { state, run } = await stopped(deleteOf(...fresh(1)))
  const locks = await acquireLock(state)
  expect(await unsentWhile(state, change, `runs resume ${run}`)).toContain(words)
  locks.close()
})

it.each([
  [
    'has its name by then',
    `once = 'x', job = json_set(job, '$.once', 'x')`,
    'run x changed: it is now closed',
  ],
  ['has its id by then', 'stop = NULL, open = NULL', 'run other (started'],
])('a run that begins behind a question is left to the other that %s', async (_, change, words) => {
  const [source, target] = fresh(2)
  const line = `contacts merge ${source} --into ${target}`
  const { state } = await begun('contacts.merge=drop-before', `${line} --yes --once other`)
  await changeRecord(state, "UPDATE run SET stop = 'closed', open = 0")
  const code = words.includes('closed') ? 7 : 2
  const told = await unsentWhile(state, `UPDATE run SET ${change}`, `${line} --once x`, code)
  expect(told).toContain(words)
})

it('runs remove refuses what is unfinished, and says what is forgotten and what is kept', async () => {
  const { state } = await lostMerge('--once lost')
  const { stderr } = await bulk(`${state} ${deleteOf(...fresh(1))} --once done`)
  expect(stderr).toContain('with 1 open id; check what has no answer, then close the run:\n')
  const faults = 'contacts.delete=503'
  const { summary } = await bulk(`${state} ${deleteOf(...fresh(1))} --wait 0s`, { faults })
  for (const name of [String(summary.run), 'lost']) {
    const told = await unsent(`${state} runs remove ${name} --yes`, 2)
    expect(told).toContain('is unfinished, with 1 open id')
  }
  const later = { clockOffset: 2 * 86_400_000 }
  const old = await svc(`${state} runs remove --older-than 1d --yes`, later)
  expect(old.stderr).toContain('kept 2 older runs that have not ended')
  expect((await svc(`${state} runs list -o ids`)).stdout).toBe(`${summary.run}\nlost\n`)
})

describe('tickets assign: the employees of each row', () => {
  const ticketOf = (place: number) => assignableTickets[place] ?? ''
  const holderOf = sandbox.assigneeOf
  const giveBack = '--to-column FORMER --if-assignee-column ASSIGNEE'

  it('gives each ticket back that still has the assignee of the run, by the lines that it printed', async () => {
    const [kept, back] = [ticketOf(0), ticketOf(1)]
    const before = holderOf(back)
    const taker = world.taker(back, holderOf(kept) ?? '')
    const { state, run, stderr } = await begun('', `tickets assign ${kept} ${back} --to ${taker}`)
    const [exporting, giving] = Array.from(
      stderr.matchAll(/^ {2}svc (.*-former.*)$/gm),
      ([, line]) => line,
    )
    expect(exporting).toBe(`runs export ${run} --out ${run}-former.csv`)
    expect(giving).toBe(`tickets assign --file ${run}-former.csv ${giveBack}`)
    const file = world.output()
    await svc(`${state} ${exporting?.replace(/\S+$/, file)}`)
    const third = world.taker(kept, before ?? '')
    await svc(`tickets assign ${kept} --to ${third}`)
    const path = world.output()
    const typed = `${state} ${giving?.replace(/--file \S+/, `--file ${file}`)}`
    const given = await bulk(`${typed} --receipts ${path}`)
    expect(given.summary.outcomes).toEqual({ done: 1, kept: 1 })
    expect([holderOf(kept), holderOf(back)]).toEqual([third, before])
    // FORMER and ASSIGNEE are those of this run, in the place of the former ones.
    const [, ...rows] = readFileSync(path, 'utf8').trim().split('\n')
    const sides = rows.map((row) => row.split(',').slice(-2))
    expect(sides).toEqual([
      ['-', ''],
      [taker, before],
    ])
    // The same file again: the former assignees have them already, or someone else does.
    const again = await bulk(typed)
    expect(again.summary.outcomes).toEqual({ done: 1, kept: 1 })
  })

  it('skips rows in which this run changed nothing, or may have', async () => {
    const [ticket, other] = [ticketOf(0), ticketOf(1)]
    const holder = String(holderOf(ticket))
    const [former, assignee] = [world.taker(ticket), holder]
    const rows = [
      `${other},-,,,,`,
      `not an id,-,,,,`,
      `${other},,,,,`,
      `${ticket},${former},${assignee},,,`,
    ]
    const file = world.file('back.csv', ['id,FORMER,ASSIGNEE,OUTCOME,REASON,AT', ...rows])
    const path = world.output()
    const line = `tickets assign --file ${file} ${giveBack} --receipts ${path}`
    const { code, summary } = await bulk(line)
    // Rows that were left out changed nothing, so nobody is given them back.
    const formers = readFileSync(path, 'utf8').trim().split('\n').slice(1, 4)
    expect(formers.map((row) => row.split(',')[1])).toEqual(['-', '-', '-'])
    expect([code, summary.outcomes]).toEqual([3, { done: 1 }])
    expect(summary.input).toMatchObject({ read: 1, leftOut: 2, withoutId: 1 })
    expect(holderOf(ticket)).toBe(former)
  })

  it('reads no column for its heading, and each one that was typed', async () => {
    const [one, two] = [ticketOf(0), ticketOf(1)]
    const [first, second] = [world.taker(one), world.taker(two)]
    const rows = [`${one},${first},Nobody Here`, `${two},${second},Nobody Here`]
    const file = world.file('t.csv', ['ticketId,New owner,assignee', ...rows])
    const state = world.state()
    const line = `tickets assign --file ${file} --once rows`
    const { summary } = await bulk(`${state} ${line} --to-column new_owner`)
    expect(summary).toMatchObject({ outcomes: { done: 2 }, target: null })
    expect([holderOf(one), holderOf(two)]).toEqual([first, second])
    const to = world.taker(one, first)
    const again = await unsent(`${state} ${line} --to ${to}`, 2)
    expect(again).toMatch(/recorded: assign 2 tickets to .*\n.*this command: assign 2 tickets to /)
    // One new assignee for all, but only where the employee of the row still has it.
    const kept = world.file('u.csv', [
      'ticketId,had',
      `${one},${first}`,
      `${two},${world.taker(two)}`,
    ])
    const some = await bulk(`tickets assign --file ${kept} --to ${to} --if-assignee-column had`)
    expect([some.summary.outcomes, holderOf(one), holderOf(two)]).toEqual([
      { done: 1, kept: 1 },
      to,
      second,
    ])
  })

  it('a ticket is one item: rows that name one employee in two ways are a duplicate', async () => {
    const one = ticketOf(0)
    const { id, firstName, lastName } =
      sandbox.company.employees.find(({ id }) => id === world.taker(one)) ?? {}
    const rows = [`${one},${id}`, `${one.toUpperCase()},${firstName} ${lastName}`]
    const file = world.file('t.csv', ['ticketId,who', ...rows])
    const { summary } = await bulk(`tickets assign --file ${file} --to-column who --count 1`)
    expect(summary).toMatchObject({ outcomes: { done: 1 }, input: { unique: 1, duplicates: 1 } })
  })

  const [one = ''] = assignableTickets
  const [first, other] = [world.taker(one), world.taker(one, world.taker(one))]
  it.each(
    table(`
    ${one},,                             | --to-column who              | without an employee
    ${one},${first},; ${one},${other},   | --to-column who              | row 3: ${one} is also in row 2, with another employee
    ${one},${first},${first}; ${one},${first},${other} | --to-column who --if-assignee-column had | row 3: ${one} is also in row 2
    ${one},Nobody Here,                  | --to-column who              | row 2: .*Nobody Here
    ${one},${first},                     |                              | --to <employee>, or a column of the file
    ${one},${first},                     | --to-column nobody           | has no column "nobody"
    ${one},${first},                     | --to ${first} --to-column who | --to
    ${one},${first},                     | --give-back                  | give-back`),
  )('%s, and %s, is exit 2: %s', async (rows = '', more = '', told = '') => {
    const file = world.file('t.csv', ['ticketId,who,had', ...rows.split('; ')])
    expect(await unsent(`tickets assign --file ${file} ${more}`, 2)).toMatch(new RegExp(told))
  })
})

describe('what a person decided since', () => {
  it('counts of a table that is typed again are those of the run', async () => {
    const [one = '', two = ''] = fresh(2)
    const file = world.file('t.csv', ['name,id', `Ada,${one}`, `Bo,${two}`, 'Cy,'])
    const line = `contacts delete --file ${file} --yes --once decided`
    const { state, code } = await stopped(line)
    expect(code).toBe(7)
    const resumed = await bulk(`${state} runs resume decided --yes`)
    expect([resumed.code, resumed.summary.input.withoutId]).toEqual([3, 1])
    writeFileSync(file, `name,id\nAda,${one}\nBo,${two}\nCy,-\n`)
    const again = await bulk(`${state} ${line}`)
    expect([again.code, again.summary.input.withoutId]).toEqual([3, 1])
    expect((await svc(`${state} ${line} --dry-run`)).code).toBe(3)
  })

  it('a dry run has every member of a summary', async () => {
    const file = world.file('t.csv', ['id', ...fresh(2)])
    const line = `contacts delete --file ${file} --yes`
    const whole = await bulk(line)
    const { stdout } = await svc(`${line} --dry-run --json`)
    const summary = JSON.parse(stdout) as object
    const told = { dryRun: true, run: null, source: file, status: null, begunAt: null, due: 2 }
    expect(summary).toMatchObject({ ...told, outcomes: {}, errors: [], exitCode: 0 })
    const members = Object.keys(summary).filter((member) => member !== 'dryRun')
    expect(members).toEqual(Object.keys(whole.summary))
  })

  it('a dry run of a job that ended has its exit code', async () => {
    const [absent] = world.absent(1)
    const line = `${deleteOf(...fresh(1), String(absent))} --once ended`
    const { state, code } = await begun('', line)
    expect([code, (await svc(`${state} ${line} --dry-run`)).code]).toEqual([3, 3])
  })
})

it.each([
  ['contacts delete', (ids: string) => `contacts delete ${ids} --yes --accept not-found`],
  ['lists add-contacts', (ids: string) => `lists add-contacts ${emptyList} ${ids}`],
])('ids of another kind are told: %s', async (_, lineOf) => {
  const listed = await svc(`lists members ${list} --limit 2 --json`)
  const memberships = (JSON.parse(listed.stdout) as { id: string }[]).map(({ id }) => id)
  const { state, run, stderr } = await begun('', lineOf(memberships.join(' ')))
  const said =
    'none of these ids is a contact: they were deleted, or are ids of lists, tickets, or list'
  expect(stderr).toContain(said)
  expect(stderr).not.toContain(' new on ')
  const { stdout } = await svc(`${state} runs export ${run} -o csv`)
  expect(stdout.split(said)).toHaveLength(3)
})

describe('--receipts', () => {
  it('is of the command that it was given to, waits until nothing is due, and replaces nothing', async () => {
    const path = world.output()
    const line = `${deleteOf(...fresh(2))} --once r`
    const { state, stderr } = await stopped(`${line} --receipts ${path}`)
    expect(stderr).toContain(`svc writes "${path}" only when no ids are due: repeat this command`)
    const there = world.file('there.csv', [])
    const early = `${state} runs resume r --yes --receipts ${there}`
    expect(await unsent(early, 2)).toContain('already exists')
    const resumed = await bulk(`${state} runs resume r --yes --receipts ${path}`)
    expect(resumed.stderr).toContain(`wrote "${path}": 2 rows`)
    expect(readFileSync(path, 'utf8').match(/,done,/g)).toHaveLength(2)
    const again = await bulk(`${state} ${line} --receipts ${path}`)
    expect(again.code).toBe(0)
    expect(again.stderr).toContain('already exists; svc did not change it')
    const other = `${state} ${deleteOf(...fresh(1))} --receipts ${path}`
    for (const more of ['', '--dry-run'])
      expect(await unsent(`${other} ${more}`, 2)).toContain('already exists')
  })

  it('is written by the same command, also where a kill left no end', async () => {
    const path = world.output()
    const line = `${deleteOf(...fresh(2))} --once k`
    const { state } = await begun('', line)
    await changeRecord(state, 'UPDATE run SET ended = NULL, counts = NULL, open = NULL')
    await bulk(`${state} ${line} --receipts ${path}`)
    expect(readFileSync(path, 'utf8').match(/,done,/g)).toHaveLength(2)
  })

  it('of a table has all its rows and columns, but replaces those that svc writes', async () => {
    const one = fresh(1).join('').toUpperCase()
    const path = world.output()
    const lines = ['constructor,id,OUTCOME,toString,AT,REASON', `Ada,${one},old,b,x,y`, 'Bo,-,,c,,']
    const file = world.file('table.csv', lines)
    await bulk(`contacts delete --file ${file} --receipts ${path} --yes`)
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      'constructor,id,OUTCOME,toString,AT,REASON',
      expect.stringMatching(new RegExp(`^Ada,${one},done,b,2[^,]*,$`)),
      expect.stringMatching(/^Bo,-,,c,,.+$/),
      '',
    ])
  })

  it('that appears meanwhile is left alone: exit 1, with the line that writes it elsewhere', async () => {
    const path = world.output()
    const linkSync = () => {
      writeFileSync(path, 'somebody else')
      throw Object.assign(new Error('EEXIST: there'), { code: 'EEXIST' })
    }
    const disk = { ...realHost.disk, linkSync }
    const ended = await bulk(`${deleteOf(...fresh(1))} --receipts ${path}`, { disk })
    expect([ended.code, ended.summary.outcomes]).toEqual([1, { done: 1 }])
    expect(ended.stderr).toMatch(/svc runs export delete-\S+ --out /)
    expect(readFileSync(path, 'utf8')).toBe('somebody else')
  })

  it('exports both sides of merges for the next command', async () => {
    const [source = '', target = ''] = fresh(2)
    const { state, run } = await begun('', mergeOf(source, target))
    const { stdout } = await svc(`${state} runs export ${run} -o ids`)
    expect(stdout).toBe(`${source}\n${target}\n`)
  })
})

it('one change costs four transactions', async () => {
  const state = world.state()
  await bulk(`${state} ${deleteOf(...fresh(1))}`)
  const begins: string[] = []
  const openDatabase = opening((_, text) => {
    if (text === 'BEGIN IMMEDIATE') begins.push(text)
  })
  await bulk(`${state} ${deleteOf(...fresh(1))}`, { openDatabase })
  expect(begins.length).toBeLessThanOrEqual(4)
})

it('runs list tells what became of each, newest first, of every service', async () => {
  const { state, run } = await stopped(deleteOf(...fresh(2)))
  const later = { clockOffset: 5000 }
  await bulk(`${state} lists add-contacts ${emptyList} ${fresh(1).join('')} --once later`, later)
  const { stdout } = await svc(`${state} runs list --json`, elsewhere)
  expect(JSON.parse(stdout)).toMatchObject([
    { once: 'later', status: 'ended', outcomes: { done: 1 }, open: 0, file: null },
    { run, once: null, status: 'unfinished', outcomes: { 'no-answer': 2 }, open: 2, profile: null },
  ])
  const names = async (more: string) => (await svc(`${state} runs list -o ids ${more}`)).stdout
  expect([await names('--unfinished'), await names('--limit 1')]).toEqual([`${run}\n`, 'later\n'])
})

it('a run with only merges without an answer: nothing resumes it, and its ids wait until it is closed', async () => {
  const { source, target, state, code, summary, stderr } = await lostMerge('--once m')
  expect([code, summary.status, summary.due, summary.resume]).toEqual([3, 'unfinished', 0, null])
  expect(stderr).toContain('svc runs close m\n')
  expect((await svc(`${state} runs show m`)).code).toBe(3)
  expect((await svc(`${state} runs list --unfinished -o ids`)).stdout).toBe('m\n')
  const { ended, sent } = await since(() => svc(`${state} runs resume m --yes`))
  expect([sent, ended.code]).toEqual([0, 3])
  const other = mergeOf(String(fresh(1)[0]), target)
  const told = await unsent(`${state} ${other}`, 2)
  expect(told).toContain(`svc contacts get ${source} ${target}\n`)
  expect(told).not.toContain('svc runs resume')
  const asking = { terminal: typing('yes').terminal, env: { TERM: 'xterm' } }
  const closed = await svc(`${state} runs close m`, asking)
  expect([closed.code, closed.stderr]).toEqual([0, 'note: closed run m\n'])
  expect(await unsent(`${state} runs close m`, 0)).toContain('there is nothing to close')
  expect((await bulk(`${state} ${other}`)).code).toBe(0)
})

/** A database of which the commit with this number fails, of the transactions that write. */
function failing(which: number, errcode: number) {
  let [count, isWriting] = [0, false]
  return opening((_, text, database) => {
    if (text === 'BEGIN IMMEDIATE') isWriting = true
    if (text === 'COMMIT' && isWriting && (count += 1) === which) {
      database.exec('ROLLBACK')
      throw Object.assign(new Error('no'), { errcode })
    }
    if (/^(?:COMMIT|ROLLBACK)$/.test(text)) isWriting = false
  })
}

it.each([
  [1, 13, 2, 0, undefined],
  [2, 13, 1, 0, '4 not-sent'],
  [3, 13, 1, 1, '2 done, 2 not-sent'],
  [4, 13, 1, 2, '4 done'],
  [3, 11, 1, 1, '2 done, 2 not-sent'],
  [3, 5, 7, 1, '2 done, 2 not-sent'],
])('commit %i fails with %i: exit %i', async (from, errcode, code, requests, counts) => {
  const state = world.state()
  await bulk(`${state} ${deleteOf(...fresh(1))}`)
  const line = `${state} BATCHES_OF=2 ${deleteOf(...fresh(4))} --concurrency 1 --once f --json`
  const openDatabase = failing(from, errcode)
  const { ended, sent } = await since(() => svc(line, { openDatabase }), 'POST')
  expect([ended.code, sent]).toEqual([code, requests])
  expect(ended.stderr).not.toMatch(/has a bug|errcode/)
  expect(ended.stdout).toBe('')
  if (counts === undefined) return
  expect(ended.stderr).toContain(`  ${counts}; svc sent nothing more`)
  expect(ended.stderr).toContain('svc runs resume f')
  const resumed = await bulk(`${state} runs resume f --yes`)
  expect(resumed.summary.outcomes).not.toHaveProperty('not-sent')
})

it.each(['REASON', 'AT'])('the column %s is refused beside --receipts', async (heading) => {
  const file = world.file('own.csv', [`id,${heading}`, `${fresh(1)[0]},x`])
  const line = `contacts delete --file ${file} --yes --receipts ${world.output()}`
  expect(await unsent(line, 2)).toContain(`rename "${heading}"`)
})

it('columns in other letters than those of receipts are those of the user', async () => {
  const file = world.file('own.csv', ['id,reason,Outcome,at', `${fresh(1)[0]},x,y,z`])
  const output = world.output()
  await bulk(`contacts delete --file ${file} --yes --receipts ${output}`)
  expect(readFileSync(output, 'utf8')).toMatch(
    /^id,reason,Outcome,at,OUTCOME,REASON,AT\n.*,x,y,z,done,,/,
  )
})
