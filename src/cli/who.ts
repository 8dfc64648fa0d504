/** `--dry-run --who`: the people of a job as `contacts get` shows them, or its tickets as they are now. */
import { readPeople } from '../api/people.ts'
import { SvcError } from '../errors.ts'
import { ownRows } from '../output/result.ts'
import type { Job } from '../runs/jobs/job.ts'
import type { Context } from './context.ts'
import { soughtColumns, soughtContacts } from './lists.ts'

export async function whoRows(context: Context, job: Job) {
  return job.operation === 'tickets.assign'
    ? ticketRows(context, job)
    : contactRows(context, job)
}

/** A row for each contact, of pairs for both sides. */
async function contactRows(context: Context, { items }: Job) {
  const wanted = items.ids.flatMap((id, at) => [id, items.at(at).other ?? []].flat())
  const keys = new Set(wanted.map((id) => id.toLowerCase()))
  const { api, acceptNear } = context
  const people = await readPeople({ api: await api(), within: [], acceptNear }, ({ id }) =>
    keys.has(id.toLowerCase()),
  )
  const all = soughtContacts(people, wanted)
  const notes = people.extentNotes(all.every(({ found }) => found))
  return ownRows(all, soughtColumns, { notes })
}

/** A row for each ticket: its state and assignee now. */
async function ticketRows(context: Context, { items }: Job) {
  const { tickets } = await context.api()
  const all = []
  for (const id of items.ids) {
    try {
      const { ticket } = await tickets.chunk(id)
      all.push({ ticket: id, status: ticket.status, assigneeId: ticket.assigneeId ?? null })
    } catch (error) {
      const isOfTicket = error instanceof SvcError && error.category === 'rejected'
      if (!isOfTicket) throw error
      all.push({ ticket: id, status: null, assigneeId: null })
    }
  }
  const columns = { TICKET: 'ticket', STATUS: 'status', ASSIGNEE: 'assigneeId' }
  return ownRows(all, columns)
}
