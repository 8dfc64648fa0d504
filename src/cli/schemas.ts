/**
 * Schemas of `--json` where several verbs write the same; each view loads its own. What comes from the
 * service is what the answers are checked with. A test holds every command's output against them.
 */
import * as v from 'valibot'
import {
  count,
  text,
  Check,
  ContactMatch,
  DryRun,
  Duplicate,
  Named,
  ProfileDocument,
  ReceiptDocument,
  Run,
} from '../views/documents.ts'
import * as documents from '../views/documents.ts'
import * as service from '../api/schemas.ts'
import { outcomes } from '../runs/outcomes.ts'
import { SummaryDocument } from '../runs/summary.ts'
import { runStatuses } from '../runs/totals.ts'
import { settingNames } from '../config/table.ts'
import { verdicts } from '../input/row-filter.ts'

export const Summary = SummaryDocument
export const { ContactList, Ticket } = service
export const { AddedProfile, ChosenProfile, RemovedProfile, Identity, CheckedIds } =
  documents

const History = v.object({
  ticket: service.Ticket,
  messages: v.array(service.TicketMessage),
  nextChunkStartMessageId: v.optional(text),
})

export const Runs = v.array(
  v.object({
    ...Run.entries,
    status: v.picklist([...runStatuses, 'working', 'undone', 'damaged']),
  }),
)
export const Checks = v.array(Check)
export const Receipts = v.array(
  v.object({ ...ReceiptDocument.entries, outcome: v.picklist(outcomes) }),
)
const Sourced = v.looseObject({ source: text })
const Valued = v.looseObject({ value: v.unknown(), source: text })
export const ShownProfile = v.object({
  ...v.entriesFromList(
    [
      'profile',
      'baseUrl',
      'apiKey',
      'protected',
      'readOnly',
      'allow',
      'maxDelete',
      'stateDir',
    ],
    Valued,
  ),
  secret: Sourced,
  settings: v.object(v.entriesFromList(settingNames, Valued)),
})
export const Profiles = v.array(ProfileDocument)

export const Sandbox = v.object({
  baseUrl: text,
  pid: count,
  keys: v.array(
    v.object({ name: text, apiKey: text, apiSecret: text, scope: text, plan: text }),
  ),
  examples: v.record(text, v.unknown()),
})

export const Ids = v.array(v.object({ id: text }))

export const Lists = v.array(service.ContactList)
export const WrittenList = v.union([service.ContactList, DryRun])
export const Members = v.array(service.ListMember)
export const Matches = v.array(
  v.object({ ...ContactMatch.entries, match: v.picklist(verdicts) }),
)
export const Duplicates = v.array(Duplicate)
const FoundContact = v.looseObject({ ...service.Contact.entries, lists: v.array(Named) })
export const FoundContacts = v.array(FoundContact)
export const SoughtContacts = v.array(
  v.looseObject({ ...FoundContact.entries, found: v.boolean() }),
)
export const Histories = v.union([History, v.array(History)])
export const Employees = v.array(service.Employee)
export const Anything = v.unknown()
