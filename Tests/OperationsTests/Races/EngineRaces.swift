import Testing

/// All races of the engine.
///
/// Only one runs at a time: each wants the processors for itself.
@Suite("Races of the engine", .serialized, .timeLimit(.minutes(15))) enum EngineRaces {}
