/** Options of `@Id()`: a new service has neither webhooks nor deliveries. */
export const A_WEBHOOK = { example: 1, note: 'Create a webhook first: the demo data has none.' };
export const A_DELIVERY = { example: 1, note: 'One whose attempts have ended, from the list of deliveries.' };
