/**
 * The changes that a profile allows, and the one function that judges a change by them. Every rule forbids,
 * and no option of a command loosens one.
 */
import { endOf, type WriteOperation } from '../api/operations.ts'
import { SvcError } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'

export interface Rules {
  readonly readOnly?: boolean | undefined
  /** Operations that may change something. */
  readonly allow?: readonly WriteOperation[] | undefined
  /** Ids of the whole input of one delete. */
  readonly maxDelete?: number | undefined
}

/** A change that is about to be sent. */
export interface WantedChange {
  /** Undefined for a request of `svc api`: what it changes is not known. */
  readonly operation: WriteOperation | undefined
  /** Number of ids of the whole input. */
  readonly ids: number
}

/** Throws exit 5 when the profile forbids the change; nothing was sent. */
export function checkAllowed(name: string, rules: Rules, change: WantedChange): void {
  const broken = brokenRule(rules, change)
  if (broken === undefined) return
  const { rule, why } = broken
  throw new SvcError('policy', `profile "${name}" ${why} (${rule}); nothing was sent`)
}

/** The first rule that forbids the change, and the words behind the profile's name. */
function brokenRule(
  { readOnly, allow, maxDelete = Infinity }: Rules,
  { operation, ids }: WantedChange,
): { readonly rule: keyof Rules; readonly why: string } | undefined {
  if (readOnly === true) return { rule: 'readOnly', why: 'allows no change' }
  if (operation === undefined) {
    return allow && { rule: 'allow', why: 'lets svc api only read' }
  }
  if (allow?.includes(operation) === false) {
    return { rule: 'allow', why: `does not allow ${operation}` }
  }
  if (endOf(operation) !== 'deleted' || ids <= maxDelete) return undefined
  const most = pluralize(maxDelete, 'contact')
  const why = `allows a run to delete ${most}, and this one would delete ${groupDigits(ids)}`
  return { rule: 'maxDelete', why }
}
