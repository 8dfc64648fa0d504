/** Answers with a status that no answer can have, to the built program: Node quotes the code of a failed assertion, which must not take long. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startSvc } from '../runs/spawned.ts'
import { ownFolder } from '../ending.ts'
import { answering, envFor } from './loopback.ts'

const folder = ownFolder('statuses')
const hook = join(folder, 'processor-time.cjs')
writeFileSync(
  hook,
  `process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    require('node:fs').writeSync(2, 'processor ' + Math.round((user + system) / 1000))
  })`,
)

const shapes = {
  'a body': 'content-length: 2\r\n\r\n{}',
  chunks: 'transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'an upgrade': 'connection: upgrade\r\nupgrade: x\r\ncontent-length: 2\r\n\r\n{}',
} as const

/** The end of a read whose answer has this status, and its processor time in milliseconds. */
async function readWith(status: string, shape: string) {
  const server = await answering((socket) => socket.write(`HTTP/1.1 ${status} Odd\r\n${shape}`))
  const env = { ...envFor(server.baseUrl), HOME: folder, NODE_OPTIONS: `--require ${hook}` }
  const line = 'lists list --wait 0s --timeout 20s'
  const { code, stderr } = await startSvc(line, { env }).ended
  const time = Number(/processor (\d+)/.exec(stderr)?.[1])
  return { code, stderr, time, requests: server.requests.length }
}

let usual = 0
beforeAll(async () => {
  usual = (await readWith('500', shapes['a body'])).time
})

test.each(['000', '001', '099', '100', '101', '102', '199', '1000'])(
  'status %s ends as any other answer without sense does',
  async (status) => {
    for (const shape of Object.values(shapes)) {
      const { code, stderr, time, requests } = await readWith(status, shape)
      expect([code, requests]).toEqual([1, 1])
      expect(stderr).toMatch(/not valid HTTP|interim answer/)
      expect(time).toBeLessThan(2 * usual + 200)
    }
  },
)
