/**
 * The schema of what each verb prints with `--json`. A verb finds its schema by the name: `viewOf('Lists', …)`,
 * `schemaOf('Ticket')`. What comes from the service has the schema that its answers are checked with. A test holds every
 * command's output against these schemas.
 */
import * as v from 'valibot'
import * as service from '../api/schemas.ts'
import { verdicts } from '../input/row-filter.ts'
import { outcomes } from '../runs/outcomes.ts'
import { SummaryDocument } from '../runs/summary.ts'
import { runStatuses } from '../runs/totals.ts'
import * as own from '../views/documents.ts'

const { count, text } = own

// Resources of the service

/** `lists get`; `tickets get`. */
export const { ContactList, Ticket } = service
export const Lists = v.array(service.ContactList)
/** `lists create` and `update`. */
export const WrittenList = v.union([service.ContactList, own.DryRun])
export const Members = v.array(service.ListMember)
export const Employees = v.array(service.Employee)
const FoundContact = v.looseObject({
  ...service.Contact.entries,
  lists: v.array(own.Named),
})
/** `contacts list` and `find`. */
export const FoundContacts = v.array(FoundContact)
/** `contacts get`. */
export const SoughtContacts = v.array(
  v.looseObject({ ...FoundContact.entries, found: v.boolean() }),
)
/** `tickets history`. */
export const History = v.object({
  ticket: service.Ticket,
  messages: v.array(service.TicketMessage),
})
export const Anything = v.unknown()

// Runs, ids and matches

export const Summary = SummaryDocument
/** `runs list` and `prune`. */
export const Runs = v.array(
  v.object({
    ...own.Run.entries,
    status: v.picklist([...runStatuses, 'working', 'undone', 'damaged']),
  }),
)
export const Checks = v.array(own.JobCheck)
export const Receipts = v.array(
  v.object({ ...own.ReceiptDocument.entries, outcome: v.picklist(outcomes) }),
)
export const Matches = v.array(
  v.object({ ...own.ContactMatch.entries, match: v.picklist(verdicts) }),
)
export const Duplicates = v.array(own.Duplicate)

// Profiles and the sandbox

/** `profiles add`, `use` and `remove`. */
export const { AddedProfile, ChosenProfile, RemovedProfile } = own
export const Profiles = v.array(own.ProfileDocument)
export const Sandbox = v.object({
  baseUrl: text,
  pid: count,
  keys: v.array(
    v.object({ name: text, apiKey: text, apiSecret: text, scope: text, plan: text }),
  ),
  examples: v.record(text, v.unknown()),
})
