/** What a request of `svc api` changes, as far as svc can be sure of it. */
import * as v from 'valibot'
import { operations, type Operation } from '../api/operations.ts'
import { parseJson } from '../config/json.ts'
import { idPattern } from '../values.ts'
import { writeOperations, type IntendedChange } from './policy.ts'

/**
 * Without an operation unless the path is exactly that of one, and the body exactly what it takes, with each member once: what the
 * service would make of anything else is not known here.
 */
export function rawChange(method: string, path: string, body: Buffer): IntendedChange {
  const operation = writeOperations.find((name) => isRequestOf(operations[name], method, path))
  const document = operation === undefined ? undefined : documentIn(body)
  if (operation === undefined || !v.is(operations[operation].body, document)) return { ids: 0 }
  return { operation, ids: 'contactIds' in document ? document.contactIds.length : 1, isRaw: true }
}

function isRequestOf(operation: Operation, method: string, path: string): boolean {
  const id = idPattern.source.slice(1, -1)
  return method === operation.method && new RegExp(`^${operation.path.replace(/\{\w+\}/g, id)}$`).test(path)
}

function documentIn(body: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return undefined
  }
}
