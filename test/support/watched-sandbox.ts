/** A sandbox with hostile data whose requests are seen as they come. */
import type { Company } from '../../src/sandbox/company.ts'
import { type Fault, parseFaults } from '../../src/sandbox/faults.ts'
import { exampleIds, idOf } from '../../src/sandbox/company.ts'
import { startSandbox as start } from '../../src/sandbox/server.ts'
import { atEnd } from './ending.ts'
import { realHost } from './real-host.ts'
import { readAnyFault } from './distortions.ts'
import { putHostileData } from './hostile.ts'
import { RequestLog } from './sandbox-record.ts'

export interface SandboxOptions {
  readonly moreFaults?: Readonly<Record<string, Fault>>
  /** Milliseconds since 1970, by the clock of the sandbox's machine. */
  readonly now?: () => number
}
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** Closed after the test file. */
export async function startSandbox(options: SandboxOptions = {}) {
  const { moreFaults = {}, now = Date.now } = options
  const faultsOf = (rules = '') =>
    parseFaults(
      rules.split(/\s+/).filter(Boolean),
      (text) => moreFaults[text] ?? readAnyFault(text),
    )
  let faults = faultsOf()
  const sandbox = await start({ ...realHost, now }, { faults: (operation) => faults(operation) })
  atEnd(() => sandbox.close())
  const { company, service, server } = sandbox
  const log = new RequestLog()
  const requests: { readonly method: string; readonly url: string; body: string }[] = []
  server.prependListener('request', (request) => {
    const { method = '', url = '' } = request
    const received = { method, url, body: '' }
    request.on('data', (chunk: Buffer) => (received.body += chunk.toString()))
    requests.push(received)
    log.add(request)
  })
  const examples = examplesOf(company)
  putHostileData(company)
  log.watch(company, service)
  return Object.assign(sandbox, {
    examples,
    requests,
    record: log,
    key(name: string) {
      const found = sandbox.keys.find((one) => one.name === name)
      if (found === undefined) throw new Error(`the sandbox has no key ${name}`)
      return found
    },
    /** Null without one, undefined for an unknown ticket. */
    assigneeOf: (ticket: string) => company.tickets.get(ticket.toLowerCase())?.ticket.assigneeId,
    /** Replaces all faults. Throws a usage error. */
    setFaults(rules?: string): void {
      faults = faultsOf(rules)
    },
  })
}

/** Ids of a new sandbox to try things with, by what is special about them. */
function examplesOf({ contacts, chats, lists, tickets }: Company) {
  // No example changes the first contacts, who are the early customers.
  const ids = [...contacts.keys()].slice(38)
  const [active = '', fresh = '', old = '', closed = '', ...others] = tickets.keys()
  const [notCurrent = '', unassigned = '', long = '', email = '', ...assignableTickets] = others
  const empty = [...lists.values()].find(({ name }) => name === 'Nobody yet')
  return {
    list: exampleIds.list,
    emptyList: empty?.id ?? '',
    contactsWithoutChats: ids.filter((id) => !chats.has(id)).slice(0, 300),
    contactsWithChats: ids.filter((id) => chats.has(id)).slice(0, 20),
    employee: exampleIds.employee,
    employeeInactive: idOf('employee', 3),
    employeeWithoutChannel: idOf('employee', 4),
    assignableTickets,
    tickets: { active, new: fresh, old, closed, notCurrent, unassigned, long, email },
  }
}
