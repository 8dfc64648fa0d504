/**
 * A lost attempt can land for 6 minutes by the service's clock. Until then no undo, chain or retry sends what must not meet it,
 * whatever this machine's clock says, and however it jumps.
 */
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import { figure, howMany } from '../figures/figure.ts'
import type { Options } from '../svc.ts'

const world = await createBulkWorld()
const { bulk, file, fresh, sandbox } = world
const { store } = sandbox
const minute = 60_000
const hour = 60 * minute
const tickets = [...sandbox.examples.assignableTickets]

/** Milliseconds that this machine's clock is ahead of the service's, of one command after the other. */
const clocks: Readonly<Record<string, () => number>> = {
  right: () => 0,
  '10 min ahead': () => 10 * minute,
  '10 min behind': () => -10 * minute,
  '1 h ahead': () => hour,
  '1 h behind': () => -hour,
  '20 h ahead': () => 20 * hour,
  '20 h behind': () => -20 * hour,
  jumping: () => Math.round((Math.random() * 40 - 20) * hour),
}

/** Runs a command `minutes` after the beginning by the service's clock; returns how it ended, and the changes that it sent. */
async function at(minutes: number, ahead: number, line: string, faults = '') {
  sandbox.setFaults([`clock=+${minutes}m`, ...(faults === '' ? [] : [faults])].join(', '))
  const before = sandbox.requests.length
  const options: Options = { clockOffset: minutes * minute + ahead }
  try {
    const ended = await bulk(line, options)
    const sent = sandbox.requests.slice(before).filter(({ method }) => method !== 'GET').length
    return { ...ended, sent }
  } finally {
    sandbox.setFaults()
  }
}

interface Lost {
  readonly run: string
  readonly state: string
}

/** An assign whose first answer is lost, and that is sent again and answered; one that stays unknown; two merges of a chain. */
const losses: Readonly<Record<string, (ahead: number) => Promise<Lost>>> = {
  async undo(ahead) {
    return lostAssign(ahead, 'tickets.assign:1=drop-before')
  },
  async 'retry of an assign'(ahead) {
    return lostAssign(ahead, 'tickets.assign:1+=drop-before')
  },
  async 'retry of a chain'(ahead) {
    const [a = '', b = '', c = ''] = fresh(3)
    const state = world.state()
    const pairs = file('pairs.csv', [`${a},${b}`, `${b},${c}`])
    // The first request of a machine whose clock is wrong is refused, and signed again.
    const first = Math.abs(ahead) < 5 * minute ? 1 : 2
    const line = `contacts merge --file ${pairs} --yes --retries 0 ${state}`
    const { summary } = await at(0, ahead, line, `contacts.merge:${first}=drop-before`)
    expect(summary.result).toMatchObject({ unknown: 1 })
    return { run: summary.run ?? '', state }
  },
}

async function lostAssign(ahead: number, faults: string): Promise<Lost> {
  const ticket = tickets.pop() ?? ''
  const to = store.employees.find(({ id, status, channels }) => {
    return status === 'active' && channels.length === 5 && id !== store.tickets.assigneeOf(ticket)
  })?.id
  const state = world.state()
  const { summary } = await at(0, ahead, `tickets assign --file ${file('t.csv', [`${ticket},${to}`])} ${state}`, faults)
  return { run: summary.run ?? '', state }
}

const commandOf = (what: string, { run, state }: Lost): string =>
  what === 'undo' ? `runs undo ${run} ${state}` : `runs retry ${run} --outcome unknown --yes ${state}`

describe.each(Object.entries(clocks))('this machine’s clock is %s', (_, clock) => {
  it.each(Object.entries(losses))('%s', { timeout: 600_000 }, async (what, lose) => {
    for (let episode = 0; episode < howMany('CLOCKS', 1); episode += 1) {
      const lost = await lose(clock())
      const command = commandOf(what, lost)
      let early = 0
      for (const minutes of [0, 3, 5]) {
        const { code, sent } = await at(minutes, clock(), command)
        expect([minutes, code]).toEqual([minutes, 7])
        early += sent
      }
      figure('commands within the 6 minutes after a lost attempt', 3)
      figure('changes sent within the 6 minutes', early)
      expect(early).toBe(0)
      const late = await at(7, clock(), command)
      figure('changes sent after the 6 minutes', late.sent)
      expect([late.code, late.sent > 0]).toEqual([0, true])
    }
  })
})

it.each(Object.entries(losses))(
  'a service without Date: %s waits 12 minutes of this machine’s clock',
  async (what, lose) => {
    const noDate = '*:1+=no-date'
    const lost = await lose(0)
    const command = commandOf(what, lost)
    for (const minutes of [0, 7, 11]) {
      const { code, sent, stderr } = await at(minutes, 0, command, noDate)
      expect([minutes, code, sent]).toEqual([minutes, 7, 0])
      expect(stderr).toContain('the answers of the service have no Date')
    }
    expect(await at(13, 0, command, noDate)).toMatchObject({ code: 0 })
  },
)
