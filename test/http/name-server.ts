/** A name server on loopback that says what it is told to, or nothing at all. */
import { createSocket } from 'node:dgram'
import { afterAll } from 'vitest'

/** Addresses of a family; `unknown`: there is no such name; `failing`: SERVFAIL; undefined: no answer. */
export type Answer = readonly string[] | 'unknown' | 'failing' | undefined

export interface NameServer {
  /** `127.0.0.1:port` */
  readonly address: string
  /** `A name` and `AAAA name`, in order; a question that is asked again stands there once. */
  readonly questions: readonly string[]
}

const types = new Map([
  [1, 'A'],
  [28, 'AAAA'],
])

/** Closed after the test file. */
export async function nameServer(answer: (type: string) => Answer): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions = new Map<string, string>()
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const type = types.get(query.readUInt16BE(end - 4)) ?? ''
    questions.set(`${port} ${query.readUInt16BE(0)}`, `${type} ${nameIn(query)}`)
    const said = answer(type)
    if (said !== undefined) socket.send(reply(query, end, said), port, address)
  })
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve)
  })
  afterAll(() => socket.close())
  return {
    address: `127.0.0.1:${socket.address().port}`,
    get questions() {
      return [...questions.values()]
    },
  }
}

function nameIn(query: Buffer): string {
  const labels: string[] = []
  for (let at = 12; (query[at] ?? 0) > 0; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  }
  return labels.join('.').toLowerCase()
}

function reply(query: Buffer, end: number, said: Exclude<Answer, undefined>): Buffer {
  const addresses = typeof said === 'string' ? [] : said
  const question = Buffer.from(query.subarray(0, end))
  question.writeUInt16BE(0x8180 | (said === 'unknown' ? 3 : said === 'failing' ? 2 : 0), 2)
  question.writeUInt16BE(addresses.length, 6)
  question.writeUInt16BE(0, 8)
  question.writeUInt16BE(0, 10)
  const records = addresses.map((address) => {
    const data = bytesOf(address)
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(data.length === 4 ? 1 : 28, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(60, 6)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([question, ...records])
}

/** `::1` is the only address of its family that a test needs. */
function bytesOf(address: string): Buffer {
  if (address === '::1') return Buffer.from([...Array<number>(15).fill(0), 1])
  return Buffer.from(address.split('.').map(Number))
}
