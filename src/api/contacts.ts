import type { Hooks } from '../http/attempt.ts'
import type { Http } from '../http/client.ts'
import type { DeleteResult, MergeResult } from './schemas.ts'

export interface Contacts {
  /** The source is merged into the target. */
  merge(sourceContactId: string, targetContactId: string, hooks?: Hooks): Promise<MergeResult>
  /** 1 to 100 contacts. */
  delete(contactIds: readonly string[], hooks?: Hooks): Promise<DeleteResult>
}

export function contactsApi(http: Http): Contacts {
  return {
    merge(sourceContactId, targetContactId, hooks) {
      return http.call('contacts.merge', { path: { sourceContactId }, body: { targetContactId } }, hooks)
    },
    delete(contactIds, hooks) {
      return http.call('contacts.delete', { body: { contactIds } }, hooks)
    },
  }
}
