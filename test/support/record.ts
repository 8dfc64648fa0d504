/** The run record as a file: changed as nobody but svc does, and opened as a command does. */
import type { Host, SqlDatabase, SqlValue } from '../../src/host.ts'
import { Database } from '../../src/runs/database.ts'
import { hostWith, realHost } from './real-host.ts'

export async function changeRecord(state: string, sql: string, ...values: SqlValue[]) {
  const database = await realHost.openDatabase(`${state.replace('SVC_STATE_DIR=', '')}/runs.db`)
  // A statement that is not collected yet keeps a closed file open, and writes into it later.
  if (values.length === 0) database.exec(sql)
  else database.prepare(sql).run(...values)
  database.close()
}

export async function openedRecord(folder: string, parts: Partial<Host> = {}) {
  const database = new Database(hostWith({ env: { SVC_STATE_DIR: folder }, ...parts }))
  await database.open(true)
  return database
}

export type Method = 'exec' | 'prepare' | keyof ReturnType<SqlDatabase['prepare']> | 'close'

/** Opens a file of SQLite. Calls a function before each method, with the text of its statement. */
export const opening =
  (before: (method: Method, text: string, database: SqlDatabase) => void): Host['openDatabase'] =>
  async (path) => {
    const real = await realHost.openDatabase(path)
    const ask = <T>(method: Method, text: string, work: () => T) => {
      before(method, text, real)
      return work()
    }
    return {
      exec: (text) => ask('exec', text, () => real.exec(text)),
      close: () => ask('close', '', () => real.close()),
      prepare: (text) =>
        ask('prepare', text, () => {
          const statement = real.prepare(text)
          return {
            all: (...values) => ask('all', text, () => statement.all(...values)),
            get: (...values) => ask('get', text, () => statement.get(...values)),
            run: (...values) => ask('run', text, () => statement.run(...values)),
          }
        }),
    }
  }
