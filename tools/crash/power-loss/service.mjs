/** The service as it was at some moment of a recording: a sandbox in which a part of what was recorded has happened. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sandboxAt, signed } from '../../harness/processes.mjs'

/** The request that does again what an entry of the record did; undefined when that was nothing. */
function effectOf({ list, deleted = [], added = [], merged, assigned }) {
  if (deleted.length > 0) return ['POST', '/v1/contacts/bulk-delete', { contactIds: deleted }]
  if (added.length > 0) return ['POST', `/v1/lists/${list}/contacts`, { contactIds: added }]
  if (merged !== undefined) return ['POST', `/v1/contacts/${merged.source}/merge`, { targetContactId: merged.target }]
  if (assigned !== undefined)
    return ['PATCH', `/v1/tickets/${assigned.ticket}/assignee`, { newAssigneeId: assigned.to }]
  return undefined
}

async function repeat(sandbox, [method, path, body]) {
  const text = JSON.stringify(body)
  const options = { method, body: text, headers: signed(sandboxAt(sandbox).env, text) }
  const answer = await fetch(`${sandbox.baseUrl}${path}`, options)
  if (!answer.ok) throw new Error(`${method} ${path} cannot be done again: ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** Makes sandboxes in which these entries have happened; each such state is made once and kept as a data file. */
export function servicesOf({ startSandbox, options, folder }) {
  const states = new Map()
  const place = mkdtempSync(join(folder, 'service-'))
  return async (entries) => {
    const done = entries.filter((entry) => effectOf(entry) !== undefined)
    const key = done.map(({ n }) => n).join(' ')
    let state = states.get(key)
    if (state === undefined) {
      state = join(place, `state-${states.size}`)
      states.set(key, state)
      const { contacts, seed } = options
      const sandbox = await startSandbox({ contacts, seed, data: state })
      for (const entry of done) await repeat(sandbox, effectOf(entry))
      await sandbox.close()
    }
    const current = join(place, 'current')
    rmSync(current, { force: true })
    // Nothing was changed yet: there is no such file then.
    if (done.length > 0) copyFileSync(state, current)
    return startSandbox({ ...options, data: current })
  }
}
