/// Ends the process because a caller violated a rule, and prints the rule.
///
/// `precondition` does not print its message in optimised builds.
@inline(never)
func broken(_ rule: StaticString) -> Never { fatalError("\(rule)") }

/// Checks a rule for callers. Like `precondition`, but prints the message in optimised builds, too.
@inline(__always)
func demand(_ holds: Bool, _ rule: StaticString) {
  if !holds { broken(rule) }
}
