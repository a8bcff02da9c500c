/** How often a task of several is drawn, relative to the others. Apart, since what users import shows no types of zod. */
import { number } from '../../options/schemas.ts';

export const shareWeight = number({ above: 0, example: 1 }).default(1);
