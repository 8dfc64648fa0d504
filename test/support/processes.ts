/** Deletes in real processes against a sandbox, and what the sandbox did compared with what they claim. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Line } from '../../src/runs/lines.ts'
import type { Receipt } from '../../src/runs/engine.ts'
import { createBulkWorld, runsFolder } from './bulk-world.ts'
import { startSvc } from './spawned.ts'

export async function createProcesses() {
  const world = await createBulkWorld()
  const { sandbox } = world
  /** Each request takes so long, so that there is a middle. */
  const slowly = (ms = 100) => sandbox.setFaults(`contacts.delete=delay,before=${ms}ms`)

  /** A delete of so many contacts, one a request, in a state folder of its own. */
  function deletes(count: number, more = '') {
    const ids = world.fresh(count)
    const state = world.state()
    const runs = runsFolder(state)
    const line = `${state} BATCHES_OF=1 contacts delete --file ${world.file('ids', ids)} --yes --json --concurrency 2 ${more}`
    const own = new Set(ids)
    const newest = () => readdirSync(runs).toSorted().at(-1) ?? ''
    const requests = () =>
      sandbox.requests.flatMap(({ url, body }) =>
        url.endsWith('/bulk-delete') ? idsIn(body).filter((id) => own.has(id)) : [],
      )
    return {
      ids,
      line,
      state,
      runs,
      start: () => startSvc(line, { env: world.env }),
      /** Goes on with its newest run in this process. */
      resume: () => world.bulk(`${state} BATCHES_OF=1 runs resume ${newest()} --yes`),
      /** The ids that were asked to be deleted, one for each request. */
      requests,
      /** Resolves once so many requests have come. */
      async came(least: number) {
        const times = { interval: 5, timeout: 20_000 }
        await expect.poll(() => requests().length, times).toBeGreaterThanOrEqual(least)
      },
      /** Its newest run, and the lines of all its parts. */
      run: newest,
      lines(): Line[] {
        const folder = join(runs, newest())
        const text = readdirSync(folder).map((part) => readFileSync(join(folder, part), 'utf8'))
        return text
          .join('')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Line)
      },
      /** Compares each receipt of the last run with what the sandbox did, and returns their outcomes. */
      async judged() {
        const { stdout } = await world.svc(`${state} runs export -o ndjson`)
        const receipts = stdout
          .split('\n')
          .flatMap((text) => (text === '' ? [] : [JSON.parse(text) as Receipt]))
        expect(receipts.map(({ id }) => id)).toEqual(ids)
        for (const { id, outcome } of receipts)
          expect([id, outcome, isTrue(id, outcome)]).toEqual([id, outcome, true])
        return receipts.map(({ outcome }) => outcome)
      },
    }
  }

  function isTrue(id: string, outcome: Receipt['outcome']) {
    const times = sandbox.record.entries.filter(({ deleted }) => deleted?.includes(id)).length
    if (outcome === 'done' || outcome === 'gone') return times === 1
    return outcome === 'unknown' || times === 0
  }

  return { ...world, slowly, deletes }
}

const idsIn = (body: string) => (JSON.parse(body) as { contactIds: string[] }).contactIds

/** The positions of the first items of requests that have an answer on record. */
export const answered = (lines: readonly Line[]) =>
  lines.flatMap((line) => (line.t === 'res' && line.due !== true ? [line.b[0]] : []))

/** Those that are there more than once. */
export const twice = (ids: readonly string[]) => ids.filter((id, n) => ids.indexOf(id) !== n)
