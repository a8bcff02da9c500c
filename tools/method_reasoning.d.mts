export function methodReasoning(): (id: string) => string;
export function markdownOf(comment: string): string;
