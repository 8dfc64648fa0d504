/** What a run is made of, by position: ids, or pairs, wherever they are kept. */
import type { IdTable } from '../../ids/id-table.ts'
import type { Pair } from '../../ids/pairs.ts'
import type { RunItems } from './run-files.ts'
import type { RecordedPlan } from './run.ts'

/** By position from 0. */
export interface Items {
  readonly size: number
  id(position: number): string
  /** From position `from` up to, not including, `to`. */
  ids(from: number, to: number): string[]
  /** The same as the text of a JSON array. */
  json(from: number, to: number): Buffer
  /** Merge and assign: the second party. */
  other(position: number): string | undefined
  /** Assign: who has to have the ticket for it to be changed. */
  expected?(position: number): string | undefined
  /** Line of the input; 0 for an argument. */
  line(position: number): number
  /** Position of an id in whatever letter case; -1 when it is not there. */
  indexOf(id: string): number
}

export function tableItems(ids: IdTable): Items {
  return {
    size: ids.size,
    id: (position) => ids.id(position),
    ids: (from, to) => ids.slice(from, to),
    json: (from, to) => ids.json(from, to),
    other: () => undefined,
    line: (position) => ids.line(position),
    indexOf: (id) => ids.indexOf(id),
  }
}

/** `other`: the same second party for all, as in an assign with `--to`. */
export function withOther(items: Items, other: string): Items {
  return { ...items, other: () => other }
}

export function pairItems(pairs: readonly Pair[]): Items {
  let positions: Map<string, number> | undefined
  const at = (position: number): Pair => {
    const pair = pairs[position]
    if (pair === undefined) throw new RangeError(`no pair at ${position}`)
    return pair
  }
  const ids = (from: number, to: number): string[] => pairs.slice(from, to).map(({ id }) => id)
  return {
    size: pairs.length,
    id: (position) => at(position).id,
    ids,
    json: (from, to) => Buffer.from(JSON.stringify(ids(from, to))),
    other: (position) => at(position).other,
    expected: (position) => at(position).expected,
    line: (position) => at(position).line,
    indexOf(id) {
      positions ??= new Map(pairs.map((pair, position) => [pair.id.toLowerCase(), position]))
      return positions.get(id.toLowerCase()) ?? -1
    },
  }
}

/** The plan file that a run applies, byte for byte. */
export function planBytes({ before, after }: RecordedPlan, items: Items, kind: RunItems['kind']): Buffer {
  const pairs = (): (string | undefined)[][] =>
    Array.from({ length: items.size }, (_, position) => [items.id(position), items.other(position)])
  const list = kind === 'ids' ? items.json(0, items.size) : Buffer.from(JSON.stringify(pairs()))
  return Buffer.concat([Buffer.from(before), list, Buffer.from(after)])
}

/** Recorded items, all of them. */
export function itemsOf(recorded: RunItems): Items {
  return recorded.kind === 'pairs' ? pairItems(recorded.pairs) : tableItems(recorded.ids)
}
