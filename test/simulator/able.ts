/** Employees who can get a ticket, and tickets that can be assigned. */
import type { SeedEmployee } from '../../src/features/sandbox/seed/company.ts'

export const isAble = ({ status, channels }: SeedEmployee): boolean =>
  status === 'active' && channels.length === 5

export const isOpen = (ticket: Readonly<Record<string, unknown>>): boolean =>
  ticket['status'] === 'active' && ticket['current'] === true
