/** The sandbox's open sockets: numbered, counted, and closed when they were idle for too long. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Host } from '../host.ts'

type Timer = ReturnType<Host['after']>

interface Connection {
  /** From 1. */
  readonly number: number
  /** Requests in flight. */
  busy: number
  timer?: Timer
}

export class Connections {
  readonly #open = new Map<Socket, Connection>()
  readonly #host: Pick<Host, 'after'>
  readonly #idleClose: () => number | undefined
  /** How many there have been. */
  count = 0

  /** `idleClose` says after how many milliseconds without a request a connection is closed; undefined: never. */
  constructor(server: Server, host: Pick<Host, 'after'>, idleClose: () => number | undefined) {
    this.#host = host
    this.#idleClose = idleClose
    server.on('connection', (socket) => {
      this.count += 1
      this.#open.set(socket, { number: this.count, busy: 0 })
      socket.on('close', () => {
        this.#open.get(socket)?.timer?.cancel()
        this.#open.delete(socket)
      })
      // A client that disconnected does not matter here: the next read or write fails.
      socket.on('error', () => undefined)
    })
  }

  /** Notes that a request is in flight until its response is closed. Returns the connection's number. */
  begin(socket: Socket, response: ServerResponse): number {
    const connection = this.#open.get(socket)
    if (connection === undefined) return 0
    connection.timer?.cancel()
    connection.busy += 1
    response.once('close', () => {
      connection.busy -= 1
      this.#closeWhenIdle(socket, connection)
    })
    return connection.number
  }

  #closeWhenIdle(socket: Socket, connection: Connection): void {
    const after = this.#idleClose()
    if (after === undefined || connection.busy > 0 || !this.#open.has(socket)) return
    connection.timer = this.#host.after(after, () => {
      if (connection.busy === 0) socket.destroy()
    })
  }
}
