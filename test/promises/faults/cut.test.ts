/** An answer that is cut anywhere is no success, however HTTP says where it ends. */
import { expect, it } from 'vitest'
import { amount } from '../../support/amount.ts'
import { answering, http, openClient, tell } from '../../support/loopback.ts'

const employee = { id: '0123456789abcdef01234567', firstName: 'VIP – “é”', channels: [] }
const body = JSON.stringify({ data: [employee] })
const plain = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const size = (Buffer.byteLength(body) - 1).toString(16)
const step = Math.ceil(7 / amount(1))

const chunk = `${body[0]}\r\n${size}\r\n${body.slice(1)}`

it.each([
  ['content-length', http(200, body)],
  ['chunks', Buffer.from(`${plain}transfer-encoding: chunked\r\n\r\n1\r\n${chunk}\r\n0\r\n\r\n`)],
  ['the end of the connection', Buffer.from(`${plain}\r\n${body}`)],
])('ended by %s', async (_, answer) => {
  const server = await answering((socket, request) => {
    const at = Number(/cut-at-(\d+)/.exec(request)?.[1])
    const part = answer.subarray(0, at)
    // Politely and not.
    if (at % 2 === 0 || at === answer.length) socket.end(part)
    else socket.write(part, () => socket.resetAndDestroy())
  })
  const codeOf = async (at: number) => {
    // The place to cut travels in the key, so that one server serves all of them.
    const client = openClient(server.baseUrl, { wait: 0, apiKey: `cut-at-${at}` })
    const { error } = await tell(client, 'read')
    return error?.exitCode ?? 0
  }
  const places = Array.from({ length: answer.length + 1 }, (__, at) => at)
  const chosen = places.filter((at) => at % step === 0 || at >= answer.length - 5)
  const codes = await Promise.all(chosen.map(codeOf))
  expect(chosen.filter((__, n) => codes[n] === 0)).toEqual([answer.length])
  expect(codes.filter((code) => ![0, 1, 7].includes(code))).toEqual([])
})
