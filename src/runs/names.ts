/** Ids and names of runs, which name their files. */
import { usageError } from '../errors.ts'

/** Which run it is. */
export interface RunPlace {
  /** Its id, or its name as it was typed. */
  run: string
  path: string
}

/** Whether a text is a run's id: it becomes a file's name, so nothing else may pass. */
export const isRunId = (text: string) => /^\d{8}T\d{6}Z-[0-9a-f]{4}$/.test(text)

/** Names of `--once` and of undos: the possible names of a file after `@`. */
export const isRunName = (text: string) => /^[a-z0-9][a-z0-9._-]{0,199}$/i.test(text)

/** `20260301T101500Z-7f3a`: the second it began, and four random digits. `random` is from 0 up to 1. */
export function newRunId(startedAt: number, random: number): string {
  const second = new Date(startedAt).toISOString().replace(/[-:]|\.\d+/g, '')
  const digits = Math.floor(random * 0x10000).toString(16)
  return `${second}-${digits.padStart(4, '0')}`
}

/** Name of the run that undoes a run. */
export const undoName = (run: string) => `undo-${run}`

/** Ids of runs, and the names of undos, which `--once` does not take. */
export const isReserved = (text: string) => isRunId(text) || /^undo-/i.test(text)

/** 1 to 64 ASCII letters, digits, `.`, `_`, `-`, beginning with a letter or digit, and not reserved. Throws exit 2. */
export function checkJobName(text: string) {
  if (!isRunName(text) || text.length > 64) {
    throw usageError(
      '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or a digit',
      'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
    )
  }
  if (!isReserved(text)) return
  throw usageError(
    `--once cannot take the id of a run, or a name reserved for undos: ${text}`,
  )
}

/** The name of a run's file. */
export const fileName = (run: string) =>
  isRunId(run) ? `${run}.ndjson` : `@${run.toLowerCase()}.ndjson`

/** The run that a file belongs to; undefined for other files. */
export function runOf(file: string): string | undefined {
  const [, name = ''] = /^(.*)\.ndjson$/.exec(file) ?? []
  if (isRunId(name)) return name
  return name.startsWith('@') && isRunName(name.slice(1)) ? name.slice(1) : undefined
}

/** The second in a run's id, in milliseconds since 1970; NaN for a name. */
export function timeOfId(run: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(run) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
