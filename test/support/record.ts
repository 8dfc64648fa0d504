/** The run record as a file: changed as nobody but svc does, and opened as a command does. */
import type { Host, SqlValue } from '../../src/host.ts'
import { Database } from '../../src/runs/database.ts'
import { hostWith, realHost } from './real-host.ts'

export async function changeRecord(state: string, sql: string, ...values: SqlValue[]) {
  const database = await realHost.openDatabase(`${state.replace('SVC_STATE_DIR=', '')}/runs.db`)
  database.prepare(sql).run(...values)
  database.close()
}

export async function openedRecord(folder: string, parts: Partial<Host> = {}) {
  const database = new Database(hostWith({ env: { SVC_STATE_DIR: folder }, ...parts }))
  await database.open(true)
  return database
}
